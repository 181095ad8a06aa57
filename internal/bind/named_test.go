package bind

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/internal/wording"
)

func TestNamed(t *testing.T) {
	name := "huber"
	v := Named(&name, wording.Term{Name: "regression", Aliases: []string{"l2", "mse"}},
		wording.Term{Name: "huber"})
	assert.Equal(t, "regression, huber", v.Range())
	for given, want := range map[string]string{"mse": "regression", "huber": "huber",
		"regression": "regression"} {
		assert.NoError(t, v.Set(given))
		assert.NoError(t, v.Check())
		assert.Equal(t, want, v.String())
		assert.Equal(t, want, name)
	}
	name = "l2" // a value as Go code may set it
	assert.NoError(t, v.Check())
	for given, want := range map[string]string{
		"regresion": "must be one of regression, huber; did you mean regression?",
		"mze":       "must be one of regression, huber; did you mean mse?",
		"lambda":    "must be one of regression, huber",
		"":          "must be one of regression, huber",
	} {
		assert.NoError(t, v.Set(given))
		assert.EqualError(t, v.Check(), want)
	}
	v = Named(&name, wording.Term{Name: "one"})
	assert.NoError(t, v.Set("onn"))
	assert.EqualError(t, v.Check(), "only one is available")
}

// TestIntsReadBack: a list of integers is written as it is read, however large they are.
func TestIntsReadBack(t *testing.T) {
	var dst []int
	v := Ints(&dst)
	assert.NoError(t, v.Set("7,1000000,123456789"))
	assert.Equal(t, "7,1000000,123456789", v.String())
	assert.NoError(t, v.Set(v.String()))
}
