import ai.vespa.rankingexpression.importer.ImportedModel;
import ai.vespa.rankingexpression.importer.lightgbm.LightGBMImporter;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.DoubleValue;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
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
 * expression and evaluate it. The names of the features are the lines of a second file. Rows come
 * from standard input as float64, big-endian, a value for each name; scores go to standard output
 * in the same form.
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

  static void score(RankingExpression expression, List<String> names) throws Exception {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    try {
      while (true) {
        MapContext row = new MapContext();
        for (String name : names) {
          row.put(name, new DoubleValue(in.readDouble()));
        }
        out.writeDouble(expression.evaluate(row).asDouble());
      }
    } catch (EOFException end) {
      out.flush();
    }
  }
}
