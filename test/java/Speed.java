import com.microsoft.ml.lightgbm.PredictionType;
import io.github.metarank.lightgbm4j.LGBMBooster;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Times the class Ranker beside LightGBM (lightgbm4j) on one thread. Arguments: the LightGBM model, and
 * a file of rows as float64, big-endian. Prints microseconds a row, the least of several rounds: Ranker,
 * LightGBM a row at a time, LightGBM with all rows at once; and the number of rows that differ in a bit.
 */
class Speed {
  static final int ROUNDS = 7;

  public static void main(String[] args) throws Exception {
    LGBMBooster booster = LGBMBooster.createFromModelfile(args[0]);
    double[] all = doubles(Files.readAllBytes(Path.of(args[1])));
    double[][] rows = new double[all.length / Ranker.NUM_FEATURES][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = java.util.Arrays.copyOfRange(all, i * Ranker.NUM_FEATURES, (i + 1) * Ranker.NUM_FEATURES);
    }
    double[] ours = new double[rows.length], single = new double[rows.length], batch = new double[0];
    double[] best = {1e9, 1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < rows.length; i++) {
        ours[i] = Ranker.score(rows[i]);
      }
      start = record(best, 0, start, rows.length);
      for (int i = 0; i < rows.length; i++) {
        single[i] = booster.predictForMatSingleRow(rows[i], PredictionType.C_API_PREDICT_RAW_SCORE);
      }
      start = record(best, 1, start, rows.length);
      batch = booster.predictForMat(all, rows.length, Ranker.NUM_FEATURES, true, PredictionType.C_API_PREDICT_RAW_SCORE, "num_threads=1");
      record(best, 2, start, rows.length);
    }
    int different = 0;
    for (int i = 0; i < rows.length; i++) {
      different += ours[i] == batch[i] && ours[i] == single[i] ? 0 : 1;
    }
    System.out.printf("%.4f %.4f %.4f %d%n", best[0], best[1], best[2], different);
  }

  static long record(double[] best, int which, long start, int rows) {
    long now = System.nanoTime();
    best[which] = Math.min(best[which], (now - start) / 1000.0 / rows);
    return now;
  }

  static double[] doubles(byte[] bytes) {
    double[] values = new double[bytes.length / 8];
    ByteBuffer.wrap(bytes).asDoubleBuffer().get(values);
    return values;
  }
}
