package serving_test

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/serving"
	"github.com/lambdamart/lambdamart/tree"
)

// Serve the models of a folder inside another program. (Serve listens itself, with graceful shutdown.)
func Example() {
	server, err := serving.New(serving.Config{Models: folderOf("shop.txt"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(server.Handler())
	defer web.Close()
	query := `{"inputs": [{"name": "price", "datatype": "FP64", "shape": [2], "data": [30, 80]}]}`
	response, err := http.Post(web.URL+"/v2/models/shop/infer", "application/json", strings.NewReader(query))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(string(answer), `,"outputs"`, ",\n"+`"outputs"`))
	// Output:
	// {"model_name":"shop","model_version":"1",
	// "outputs":[{"name":"score","datatype":"FP64","shape":[2],"data":[-1,1]}]}
}

// folderOf makes a folder with a model of one tree: -1 if price <= 50, else 1.
func folderOf(name string) string {
	folder, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	model := &tree.Ensemble{
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{50}, Decision: []tree.Decision{tree.MissingNone},
			Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{-1, 1},
			InternalCount: []int64{20}, LeafCount: []int64{10, 10}, Gain: []float64{5},
			InternalValue: []float64{0}, InternalWeight: []float64{20}, LeafWeight: []float64{10, 10},
		}},
		Features: []tree.Feature{{Name: "price"}},
	}
	if err := lambdamart.WriteModel(filepath.Join(folder, name), model); err != nil {
		log.Fatal(err)
	}
	return folder
}
