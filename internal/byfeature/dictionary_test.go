package byfeature

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDictionary(t *testing.T) {
	for _, c := range []struct {
		words []string
		text  string
		place float64
		known bool
	}{
		{[]string{"red", "7"}, "7", 1, true},
		{[]string{"red", "7"}, "7.0", 0, false},
		{[]string{"5", "10"}, "10.0", 1, true},
		{[]string{"0.5", "1e2"}, "100", 1, true},
		{[]string{"5", "10"}, "x", 0, false},
		{[]string{"01", "1"}, "1", 1, true},
		{[]string{"false", "true"}, "True", 1, true},
		{[]string{"True", "False"}, "false", 1, true},
		{[]string{"True", "false", "true"}, "true", 2, true},
		{[]string{"false", "maybe"}, "FALSE", 0, false},
		{nil, "", 0, false},
	} {
		place, known := NewDictionary(c.words).Category([]byte(c.text))
		assert.Equal(t, c.known, known, c)
		assert.Equal(t, c.place, place, c)
	}
}

func TestDictionaryOfNumbers(t *testing.T) {
	place, known := NewDictionary([]string{"5", "10"}).CategoryOf(10)
	assert.True(t, known)
	assert.Equal(t, 1.0, place)
	place, known = NewDictionary([]string{"false", "true"}).CategoryOf(1)
	assert.True(t, known)
	assert.Equal(t, 1.0, place)
	place, known = NewDictionary([]string{"True", "False"}).CategoryOf(0)
	assert.True(t, known)
	assert.Equal(t, 1.0, place)
	for _, words := range [][]string{nil, {"1", "x"}} {
		_, known = NewDictionary(words).CategoryOf(1)
		assert.False(t, known)
		assert.False(t, NewDictionary(words).OfNumbers())
	}
}
