package studies

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	features = `[{"name": "title", "params": ["q"], "template": {"match": {"title": "{{q}} <b> & 1.50"}}},
		{"name": "age", "store": "s", "class": "org.apache.solr.ltr.feature.FieldValueFeature", "params": {"field": "age", "big": 12345678901234567890}}, {"name": "body"}]`
)

// TestSubset: in every format, the selected features are kept unchanged and in order.
func TestSubset(t *testing.T) {
	for _, set := range []string{
		features,
		`{"featureset": {"name": "main", "features": ` + features + `}}`,
		`{"name": "main", "features": ` + features + `}`,
		`{"_index": ".ltrstore", "found": true, "_source": {"type": "featureset", "featureset": {"features": ` + features + `}}}`,
	} {
		var out bytes.Buffer
		require.NoError(t, writeSubset(&out, strings.NewReader(set), "set.json", func(name string) bool { return name != "title" }))
		names, err := readSet(bytes.NewReader(out.Bytes()), "out")
		require.NoError(t, err)
		assert.Equal(t, []string{"age", "body"}, names)
		assert.Contains(t, out.String(), "12345678901234567890")
		assert.Contains(t, out.String(), "FieldValueFeature")

		out.Reset()
		require.NoError(t, writeSubset(&out, strings.NewReader(set), "set.json", func(string) bool { return true }))
		assert.Contains(t, out.String(), "{{q}} <b> & 1.50")
		assert.JSONEq(t, set, out.String())
	}
}

func TestSubsetRefuses(t *testing.T) {
	for _, set := range []string{``, `3`, `{}`, `{"features": []}`, `{"features": [{"name": ""}]}`, `{"featureset": {"x": 1}}`, `[1]`, `{"features": null, "featureset": 3}`} {
		err := writeSubset(&bytes.Buffer{}, strings.NewReader(set), "set.json", func(string) bool { return true })
		assert.ErrorContains(t, err, "set.json", set)
	}
}

// FuzzSubset: the subset of a valid set is a valid set with the selected names.
func FuzzSubset(f *testing.F) {
	f.Add(features)
	f.Add(`{"featureset": {"features": ` + features + `}}`)
	f.Add(`{"features": 1, "_source": {"features": [{"name": "a"}, {"name": "b", "name": "c"}]}}`)
	f.Fuzz(func(t *testing.T, set string) {
		names, err := readSet(strings.NewReader(set), "set")
		keep := func(name string) bool { return len(names) > 0 && name == names[0] }
		var out bytes.Buffer
		if wrote := writeSubset(&out, strings.NewReader(set), "set", keep); err != nil || wrote != nil {
			if err != nil && wrote == nil {
				t.Fatal("it is not a set, and is written")
			}
			return
		}
		kept, err := readSet(&out, "out")
		if err != nil || !slices.Equal(kept, names[:1]) {
			t.Fatal(kept, err)
		}
	})
}
