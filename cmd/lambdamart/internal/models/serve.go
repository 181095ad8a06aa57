package models

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/serving"
)

// Serve returns the entry of the command.
func Serve() cli.Command {
	return cli.Command{
		Name:  "serve",
		Use:   "serve models=FOLDER [address=HOST:PORT] [key=value]...",
		Short: "Answer requests for scores over the network",
		Long: `Answer requests for scores over HTTP, by the Open Inference Protocol, version 2, in JSON. The
models of a folder are served by name and version, NAME.txt or NAME/VERSION/model.txt; files that
are new, changed or gone are noticed, and no request is lost when a model is replaced.

A request has the features of the documents of a query, [documents, features] in the order of the
model or with the names of the columns, or a tensor for each feature; the response has their
scores. Requests that cannot be right are refused, never scored. Metrics for Prometheus are at
/metrics. SIGTERM and SIGINT end the server after the requests in progress.

The default address can be reached from this machine alone. A proxy in front of the server adds TLS
and authentication.
docs/production.md describes requests, limits, and how to run the server in a container.`,
		Example: `  lambdamart serve models=models
  lambdamart serve model.txt address=:8080 log_json=true
  curl -s localhost:8080/v2/models/model`,
		Files:  []string{"models"},
		Serves: true,
		New: func() cli.Task {
			c := serving.DefaultConfig()
			return &serveParams{Config: c, Address: "127.0.0.1:8080", ReloadSeconds: c.Reload.Seconds(),
				TimeoutSeconds: c.Timeout.Seconds()}
		},
	}
}

// serveParams are the parameters of serve.
type serveParams struct {
	serving.Config
	Address                                     string
	ReloadSeconds, TimeoutSeconds, DrainSeconds float64
}

// groupServing is the heading of the parameters.
const groupServing = "Serving"

// Table implements [cli.Task].
func (p *serveParams) Table() param.Table {
	return param.Table{
		{Name: "models", Group: groupServing,
			Help:  "Folder of the models to serve (NAME.txt, or NAME/VERSION/model.txt), or one model file.",
			Value: bind.Text(&p.Models)},
		{Name: "address", Group: groupServing,
			Help: "Host and port to listen on; without a host (:8080), all addresses of the machine. " +
				"Port 0 chooses a free port, which is logged.",
			Value: bind.Text(&p.Address)},
		{Name: "reload_seconds", Group: groupServing,
			Help:  "How often the folder of models is looked at; 0: only at the start.",
			Value: bind.Float(&p.ReloadSeconds, bind.AtLeast(0), bind.AtMost(86400))},
		{Name: "max_request_bytes", Group: groupServing,
			Help:  "Size of the body of a request, also after decompression; a larger one is refused.",
			Value: bind.Int(&p.MaxRequestBytes, bind.AtLeast(1024), bind.AtMost(1<<30))},
		{Name: "max_connections", Group: groupServing,
			Help:  "Connections that are open at once, each with one request at most; more wait.",
			Value: bind.Int(&p.MaxConnections, bind.AtLeast(1), bind.AtMost(1<<20))},
		{Name: "request_seconds", Group: groupServing,
			Help:  "Time to read a request, and to answer it.",
			Value: bind.Float(&p.TimeoutSeconds, bind.AtLeast(0.01), bind.AtMost(3600))},
		{Name: "drain_seconds", Group: groupServing,
			Help: "Time between a signal to end, after which health is not ready, and the end of listening, for " +
				"load balancers to notice.",
			Value: bind.Float(&p.DrainSeconds, bind.AtLeast(0), bind.AtMost(3600))},
		cli.NumThreads(&p.Threads),
	}
}

// Run implements [cli.Task].
func (p *serveParams) Run(ctx context.Context, env *cli.Env) error {
	if p.Models == "" {
		return cli.Usagef("models is missing: give models=FOLDER, or a model file")
	}
	p.Log, p.Version = env.Messages.ServiceLogger(), cli.Release()
	p.Reload, p.Timeout, p.Drain = seconds(p.ReloadSeconds), seconds(p.TimeoutSeconds), seconds(p.DrainSeconds)
	metrics.ExposeMetadata(true) // a type for each metric
	server, err := serving.New(p.Config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", p.Address)
	if err != nil {
		return fmt.Errorf("address=%s: %w", p.Address, err)
	}
	p.Log.Info("listening", "address", listener.Addr().String())
	return server.Serve(ctx, listener)
}

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
