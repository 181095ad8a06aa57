import ai.vespa.rankingexpression.importer.ImportedModel;
import ai.vespa.rankingexpression.importer.lightgbm.LightGBMImporter;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.DoubleValue;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
import com.yahoo.searchlib.rankingexpression.evaluation.StringValue;
import com.yahoo.searchlib.rankingexpression.evaluation.Value;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Scores rows with a model file as Vespa does: Vespa's own classes make the file a ranking
 * expression and evaluate it. The names of the features are the lines of a second file; a feature
 * of texts has these behind its name, after tabs, and its values are their numbers. Rows come from
 * standard input as float64, big-endian, a value for each name; scores go to standard output in the
 * same form.
 */
class VespaScores {
  public static void main(String[] args) throws Exception {
    LightGBMImporter importer = new LightGBMImporter();
    if (!importer.canImport(args[0])) {
      throw new IllegalArgumentException(args[0] + ": Vespa does not recognize the file");
    }
    ImportedModel model = importer.importModel("ranker", args[0]);
    RankingExpression expression = model.expressions().values().iterator().next();
    score(expression, Files.readAllLines(Path.of(args[1])));
  }

  static Value valueOf(double number, String[] words) {
    if (words.length == 1) {
      return new DoubleValue(number);
    }
    boolean known = number >= 0 && number < words.length - 1;
    return new StringValue(known ? words[1 + (int) number] : "");
  }

  static void score(RankingExpression expression, List<String> names) throws Exception {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    try {
      while (true) {
        MapContext row = new MapContext();
        for (String name : names) {
          String[] words = name.split("\t");
          row.put(words[0], valueOf(in.readDouble(), words));
        }
        out.writeDouble(expression.evaluate(row).asDouble());
      }
    } catch (EOFException end) {
      out.flush();
    }
  }
}
