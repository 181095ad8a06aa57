//go:build linux

package hostile

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// models are hostile model files in all formats that are read.
func models() []hostile {
	var all []hostile
	add := func(name string, made content, says string) {
		all = append(all, hostile{name: "model: " + name, files: map[string]content{"m": made},
			args: "model m", says: says})
	}
	// Compressed files.
	add("gzip of 256 MiB of blanks", gzipped("", " ", 256<<20, ""), "compressed so strongly")
	add("gzip of a JSON array of 256 MiB", gzipped(`{"name":"tree","trees":[`, "0,", 256<<20, "0]}"),
		"compressed so strongly")
	add("gzip of a model with 100 million blank lines", gzipped("tree\nversion=v4\n", "\n", 1e8, ""), "")
	add("zstd of 256 MiB of line ends", zstandard("tree\n", "\n", 256<<20, ""), "compressed so strongly")
	add("zstd that asks for a window of 2 TiB", plain(wideWindow), "")
	add("gzip in gzip", gzipped("", string(gzipped("", "a", 1<<20, "")()), 1<<20, ""), "")

	// JSON.
	deep := strings.Repeat("[", 2_000_000)
	add("JSON, two million arrays deep", plain(`{"name":"tree","tree_info":`+deep), "levels")
	add("JSON, two million objects deep", plain(strings.Repeat(`{"tree_info":`, 2_000_000)), "")
	add("JSON of LightGBM, deep", plain(`{"name":"tree","version":"v4","num_class":1,"max_feature_idx":1,`+
		`"feature_names":["a","b"],"tree_info":[{"tree_structure":`+
		strings.Repeat(`{"left_child":`, 100_000)), "")
	add("JSON of LightGBM, two billion features", plain(`{"name":"tree","version":"v4","num_class":1,`+
		`"num_tree_per_iteration":1,"label_index":0,"max_feature_idx":2147483646,`+
		`"objective":"lambdarank","feature_names":[],"feature_infos":{},"tree_info":[]}`), "")
	add("JSON of XGBoost, four billion features", xgboostJSON(4294967295, "1"), "")
	add("JSON of XGBoost, a feature number of 2^31-1", xgboostJSON(3, "2147483647"), "")
	add("JSON of XGBoost's dump, deep", plain("["+strings.Repeat(
		`{"nodeid":0,"depth":0,"split":"f0","split_condition":1,"yes":1,"no":2,"missing":1,"children":[`, 100_000)),
		"")
	add("JSON of XGBoost's dump, feature 2^31-2",
		plain(`[{"nodeid":0,"depth":0,"split":"f2147483646","split_condition":1,"yes":1,"no":2,"missing":1,`+
			`"children":[{"nodeid":1,"leaf":1},{"nodeid":2,"leaf":2}]}]`), "")
	add("JSON of Solr, deep", plain(`{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",`+
		`"name":"m","features":[{"name":"a"}],"params":{"trees":[{"weight":1,"root":`+
		strings.Repeat(`{"feature":"a","threshold":1,"left":`, 100_000)), "")
	add("JSON with a number of a million digits",
		plain(`{"name":"tree","version":"v4","num_class":`+strings.Repeat("9", 1_000_000)+"}"), "")
	add("JSON with 300,000 equal keys", plain("{"+strings.Repeat(`"a":1,`, 300_000)+`"learner":1}`), "")

	// UBJSON.
	add("UBJSON, a text of 2^62 bytes", plain(ubjson("SL", 1<<62)), "")
	add("UBJSON, 2^40 numbers", plain(ubjson("[$D#L", 1<<40)), "")
	add("UBJSON, two billion values without bytes", plain(ubjson("[$Z#l", 1<<31-1)), "")
	add("UBJSON, a million arrays deep", plain(ubjson("", 0)+strings.Repeat("[", 1_000_000)), "levels")
	add("UBJSON, a million typed arrays deep", plain(ubjson("", 0)+strings.Repeat("[$[#i\x01", 300_000)), "")

	// XML.
	add("RankLib, a tree 100,000 deep", plain("## LambdaMART\n<ensemble><tree id=\"1\" weight=\"1\">"+
		strings.Repeat(`<split><feature>1</feature><threshold>1</threshold><split pos="left">`, 100_000)), "")
	add("RankLib, unknown elements 300,000 deep", plain("<ensemble>"+strings.Repeat("<a>", 300_000)), "")
	add("RankLib, feature 2^31-1", ranklib("2147483647"), "")
	add("RankLib, feature 10^30", ranklib("1"+strings.Repeat("0", 30)), "")
	add("XML with entities in entities", plain(billionLaughs), "invalid character entity")
	add("XML that names a file", plain("## MART\n"+`<!DOCTYPE e [<!ENTITY x SYSTEM `+
		`"file:///etc/passwd">]><ensemble>&x;</ensemble>`), "invalid character entity")
	add("XML with a million attributes", plain(`<ensemble `+strings.Repeat(`a="1" `, 1_000_000)+`>`), "")
	add("XML with a million comments", plain("## MART\n"+strings.Repeat("<!-- -->", 1_000_000)), "")

	// LightGBM's text.
	for _, line := range []string{"max_feature_idx=2147483646", "num_class=2147483647",
		"num_tree_per_iteration=2147483647", "tree_sizes=9223372036854775807"} {
		add("text, "+line, lightgbm(line, ""), "")
	}
	for _, lines := range []string{
		"num_leaves=2147483647", "num_leaves=-2147483648", "num_cat=2147483647", "left_child=2147483647",
		"right_child=0", "split_feature=2147483647", "decision_type=255", "is_linear=1",
		"num_cat=1\ndecision_type=1\nthreshold=0\ncat_boundaries=0 2147483647\ncat_threshold=1",
		"num_cat=1\ndecision_type=1\nthreshold=2147483647\ncat_boundaries=0 1\ncat_threshold=1",
		"is_linear=1\nleaf_const=1 2\nnum_features=2147483647 0\nleaf_features=0\nleaf_coeff=1",
	} {
		add("text, tree with "+strings.ReplaceAll(lines, "\n", ", "), lightgbm("", lines), "")
	}
	add("text, 10 million numbers in a line", lightgbm("", "leaf_value="+strings.Repeat("1 ", 10_000_000)), "")

	add("network, a header of 4 GiB", plain(network()), "")
	return all
}

const billionLaughs = `## LambdaMART
<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><ensemble>&c;</ensemble>`

func xgboostJSON(features uint64, split string) content {
	return plain(fmt.Sprintf(`{"learner":{"feature_names":[],"feature_types":[],`+
		`"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"1"},`+
		`"iteration_indptr":[0,1],"tree_info":[0],"trees":[{"base_weights":[0,0,0],"categories":[],`+
		`"categories_nodes":[],"categories_segments":[],"categories_sizes":[],"default_left":[0,0,0],"id":0,`+
		`"left_children":[1,-1,-1],"loss_changes":[1,0,0],"parents":[2147483647,0,0],"right_children":[2,-1,-1],`+
		`"split_conditions":[1,1,2],"split_indices":[%s,0,0],"split_type":[0,0,0],"sum_hessian":[2,1,1],`+
		`"tree_param":{"num_deleted":"0","num_feature":"%d","num_nodes":"3","size_leaf_vector":"1"}}]},`+
		`"name":"gbtree"},"learner_model_param":{"base_score":"0","num_class":"0","num_feature":"%d",`+
		`"num_target":"1"},"objective":{"name":"rank:ndcg"}},"version":[3,2,0]}`, split, features, features))
}

// ubjson returns an object with the key learner and the beginning of its value: a marker and a number. The
// marker's last letter determines the number's width.
func ubjson(marker string, n int64) string {
	b := []byte("{L\x00\x00\x00\x00\x00\x00\x00\x07learner" + marker)
	switch {
	case strings.HasSuffix(marker, "L"):
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	case strings.HasSuffix(marker, "l"):
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

func ranklib(feature string) content {
	return plain("## LambdaMART\n<ensemble><tree id=\"1\" weight=\"1\"><split><feature>" + feature +
		"</feature><threshold>1</threshold><split pos=\"left\"><output>1</output></split><split " +
		"pos=\"right\"><output>2</output></split></split></tree></ensemble>\n")
}

// lightgbm returns a model of one split, in which header and lines replace the lines with the same keys.
func lightgbm(header, lines string) content {
	text := "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1" +
		"\nobjective=lambdarank\nfeature_names=a b\nfeature_infos=[0:1] [0:1]\n" +
		"\nTree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\nthreshold=0.5\ndecision_type=2" +
		"\nleft_child=-1\nright_child=-2\nleaf_value=1 2\nleaf_weight=1 1\nleaf_count=1 1\n" +
		"internal_value=0\ninternal_weight=2\ninternal_count=2\nis_linear=0\nshrinkage=1\n\n\nend of trees\n"
	for _, changed := range append(strings.Split(lines, "\n"), header) {
		key, _, _ := strings.Cut(changed, "=")
		at := strings.Index(text, "\n"+key+"=")
		switch {
		case changed == "":
		case at < 0:
			text = strings.Replace(text, "is_linear=", changed+"\nis_linear=", 1)
		default:
			end := at + 1 + strings.IndexByte(text[at+1:], '\n')
			text = text[:at+1] + changed + text[end:]
		}
	}
	return plain(text)
}

// network returns the beginning of a model of package nnbaseline whose header claims a length of 2^32-1
// bytes. Its checksum is wrong.
func network() []byte {
	b := []byte("\x8bLMN\r\n\x1a\n\x01\x00\x00\x00\xff\xff\xff\xff")
	b = binary.LittleEndian.AppendUint64(b, 1<<60)
	return append(b, 0, 0, 0, 0)
}
