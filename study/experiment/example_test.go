package experiment_test

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/study/experiment"
)

func ExampleRead() {
	file, err := experiment.Read(strings.NewReader(`
data: mq2008
seeds: 5
rankers:
  - lambdamart
  - {name: small, ranker: ranknet, parameters: {hidden_layers: [64, 32]}}
`), "rankers.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range file.Settings {
		fmt.Println(s)
	}
	for _, e := range file.Rankers {
		fmt.Println(e.Name, "is", e.Kind, "with", e.Settings)
	}
	_, err = experiment.NewRankers(file.Rankers, nil, nil)
	fmt.Println(err)
	_, err = experiment.Read(strings.NewReader("rankers:\n  - {name: a, ranker: mse, parameter: {epochs: 3}}\n"), "wrong.yaml")
	fmt.Println(err)
	// Output:
	// data=mq2008 (rankers.yaml:2:1)
	// seeds=5 (rankers.yaml:3:1)
	// lambdamart is lambdamart with []
	// small is ranknet with [hidden_layers=64,32 (rankers.yaml:6:49)]
	// <nil>
	// wrong.yaml:2:28: "parameter": unknown key; a ranker has name, ranker, parameters and variants
}
