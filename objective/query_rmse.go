package objective

import "github.com/lambdamart/lambdamart/dataset"

// queryRMSE is the squared error of scores, up to a constant that is added to all scores of a query:
//
//	d_i = s_i - y_i,  m = Σ w·d / Σ w,  L = Σ ½·w_i·(d_i - m)²
//	λ_i = w_i·(d_i - m),  h_i = w_i
//
// so that a query all of whose documents are good does not need high scores. (QueryRMSE of CatBoost, whose
// derivatives these are; it writes them with the other sign. The exact second derivative is w_i·(1 - w_i/Σ
// w).) As in CatBoost, the mean is weighted.
type queryRMSE struct{}

func (queryRMSE) Name() string { return "query_rmse" }

func (queryRMSE) Prepare(data *dataset.Meta) error { return checkLabels(data, checkSquare) }

func (queryRMSE) Gradients(dst Gradients, q Query) {
	sum, total := 0.0, float64(len(q.Scores))
	for i, s := range q.Scores {
		dst.Lambda[i], dst.Hessian[i] = s-q.Labels[i], 1
	}
	if q.Weights == nil {
		for _, d := range dst.Lambda {
			sum += d
		}
	} else {
		total = 0
		for i, w := range q.Weights {
			sum += float64(w * dst.Lambda[i])
			total += w
		}
	}
	if total > 0 {
		mean := sum / total
		for i := range dst.Lambda {
			dst.Lambda[i] -= mean
		}
	}
	multiply(dst, q.Weights)
}
