import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentParserConfiguration;
import org.elasticsearch.xcontent.XContentType;
import org.elasticsearch.xpack.core.ml.inference.MlInferenceNamedXContentProvider;
import org.elasticsearch.xpack.core.ml.inference.results.SingleValueInferenceResults;
import org.elasticsearch.xpack.core.ml.inference.trainedmodel.RegressionConfig;
import org.elasticsearch.xpack.core.ml.inference.trainedmodel.inference.InferenceDefinition;

/**
 * Scores rows with the definition of a trained model as Elasticsearch does. The names of the features are the lines of
 * a second file. Rows come from standard input as float64, big-endian, a value for each name, NaN for an absent one;
 * scores go to standard output in the same form.
 */
class ElasticScores {
  public static void main(String[] args) throws Exception {
    NamedXContentRegistry registry = new NamedXContentRegistry(new MlInferenceNamedXContentProvider().getNamedXContentParsers());
    XContentParserConfiguration configuration = XContentParserConfiguration.EMPTY.withRegistry(registry);
    InferenceDefinition model;
    try (XContentParser parser = XContentType.JSON.xContent().createParser(configuration, Files.readAllBytes(Path.of(args[0])))) {
      model = InferenceDefinition.fromXContent(parser);
    }
    List<String> names = Files.readAllLines(Path.of(args[1]));
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    try {
      while (true) {
        Map<String, Object> row = new HashMap<>();
        for (String name : names) {
          double value = in.readDouble();
          if (!Double.isNaN(value)) {
            row.put(name, value);
          }
        }
        out.writeDouble(((SingleValueInferenceResults) model.infer(row, RegressionConfig.EMPTY_PARAMS)).value());
      }
    } catch (EOFException end) {
      out.flush();
    }
  }
}
