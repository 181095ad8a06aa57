import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.solr.core.SolrResourceLoader;
import org.apache.solr.ltr.feature.Feature;
import org.apache.solr.ltr.feature.ValueFeature;
import org.apache.solr.ltr.model.LTRScoringModel;
import org.apache.solr.ltr.norm.IdentityNormalizer;
import org.apache.solr.ltr.norm.Normalizer;
import org.noggit.ObjectBuilder;

/**
 * Scores rows with a model file as Solr does: the file is made a model by Solr's own
 * classes. Rows come from standard input as float32, big-endian, a value for each feature
 * that the file lists; scores go to standard output in the same form.
 */
class SolrScores {
  @SuppressWarnings("unchecked")
  public static void main(String[] args) throws Exception {
    Map<String, Object> file = (Map<String, Object>) ObjectBuilder.fromJSON(Files.readString(Path.of(args[0])));
    List<Feature> features = new ArrayList<>();
    List<Normalizer> norms = new ArrayList<>();
    for (Object item : (List<Object>) file.get("features")) {
      String name = (String) ((Map<String, Object>) item).get("name");
      features.add(new ValueFeature(name, Map.of("value", "0")));
      norms.add(IdentityNormalizer.INSTANCE);
    }
    LTRScoringModel model =
        LTRScoringModel.getInstance(
            new SolrResourceLoader(Path.of(".")),
            (String) file.get("class"),
            (String) file.get("name"),
            features,
            norms,
            "store",
            features,
            (Map<String, Object>) file.get("params"));
    score(model, new float[features.size()]);
  }

  static void score(LTRScoringModel model, float[] row) throws Exception {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    try {
      while (true) {
        for (int i = 0; i < row.length; i++) {
          row[i] = in.readFloat();
        }
        out.writeFloat(model.score(row));
      }
    } catch (EOFException end) {
      out.flush();
    }
  }
}
