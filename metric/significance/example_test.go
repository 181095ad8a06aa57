package significance_test

import (
	"fmt"

	"github.com/lambdamart/lambdamart/metric/significance"
)

// scipy 1.17 has 0.00577, 0.01172 and 0.00781 for the differences 0.04, 0.03, ….
func ExampleCompare() {
	a := []float64{0.41, 0.52, 0.33, 0.60, 0.48, 0.25, 0.71, 0.39, 0.55, 0.44}
	b := []float64{0.45, 0.55, 0.31, 0.66, 0.52, 0.29, 0.70, 0.47, 0.58, 0.49}
	c, err := significance.Compare(a, b, nil, significance.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f against %.3f: %+.4f, 95%% interval %+.4f to %+.4f\n", c.MeanB, c.MeanA, c.Difference, c.Interval.Low, c.Interval.High)
	fmt.Printf("%d won, %d equal, %d lost; effect size %.2f\n", c.Wins, c.Equal, c.Loses, c.Effect)
	fmt.Printf("t test %.4f, randomization %.4f, Wilcoxon %.4f\n", c.StudentT.P, c.Randomization.P, c.Wilcoxon.P)
	// Output:
	// 0.502 against 0.468: +0.0340, 95% interval +0.0089 to +0.0591
	// 8 won, 0 equal, 2 lost; effect size 1.14
	// t test 0.0058, randomization 0.0117, Wilcoxon 0.0078
}
