import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;
import org.pmml4s.model.Model;

/**
 * Scores rows by JPMML and PMML4S. Each argument is a folder with the files model.pmml; names, a line for each
 * feature; texts, an empty line for each feature, or what its integers stand for, with tabs in between; and rows,
 * float64, big-endian, a value for each name, NaN for a missing one. The files jpmml and pmml4s get the scores in the
 * same form.
 */
class PmmlScores {
  interface Scorer {
    Object score(Map<String, Object> row) throws Exception;
  }

  public static void main(String[] folders) throws Exception {
    Exception[] failure = new Exception[1];
    Runnable work = () -> {
      try {
        for (String folder : folders) {
          score(Path.of(folder), "jpmml", jpmml(folder + "/model.pmml"));
          score(Path.of(folder), "pmml4s", pmml4s(folder + "/model.pmml"));
        }
      } catch (Exception e) {
        failure[0] = e;
      }
    };
    Thread deep = new Thread(null, work, "scores", 512 << 20); // PMML4S reads trees by recursion
    deep.start();
    deep.join();
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  static Scorer jpmml(String path) throws Exception {
    Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(new File(path)).build();
    evaluator.verify();
    return row -> evaluator.evaluate(row).get("score");
  }

  static Scorer pmml4s(String path) {
    Model model = Model.fromFile(path);
    return row -> model.predict(row).get("score");
  }

  static void score(Path folder, String output, Scorer scorer) throws Exception {
    List<String> names = Files.readAllLines(folder.resolve("names")), texts = Files.readAllLines(folder.resolve("texts"));
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(folder.resolve("rows"))));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(folder.resolve(output))))) {
      while (true) {
        Map<String, Object> row = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
          row.put(names.get(i), value(in.readDouble(), texts.get(i)));
        }
        out.writeDouble(((Number) scorer.score(row)).doubleValue());
      }
    } catch (EOFException end) {
      return; // all rows are scored
    }
  }

  /** A missing value is null; a category with a text is the text. */
  static Object value(double number, String texts) {
    if (Double.isNaN(number)) {
      return null;
    }
    return texts.isEmpty() ? (Object) number : texts.split("\t", -1)[(int) number];
  }
}
