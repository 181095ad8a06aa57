import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;

/**
 * Scores rows with the class Ranker that lambdamart export wrote. Rows come from standard input as
 * float64, big-endian; scores go to standard output in the same form.
 */
class Scores {
  public static void main(String[] args) throws Exception {
    double[] row = new double[Ranker.NUM_FEATURES];
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    try {
      while (true) {
        for (int i = 0; i < row.length; i++) {
          row[i] = in.readDouble();
        }
        out.writeDouble(Ranker.score(row));
      }
    } catch (EOFException end) {
      out.flush();
    }
  }
}
