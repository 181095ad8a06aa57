// Package serving answers requests for scores over HTTP, by the Open Inference Protocol, version 2, in JSON.
//
//	connection ─► listener: no more than Config.MaxConnections
//	                 │
//	              body: Config.MaxRequestBytes, in Config.Timeout
//	                 │
//	              request, on one of Config.Threads
//	                 │
//	              the model by name and version
//	                 │
//	              scores of the documents
//	                 ▼
//	              response; counted in metrics, and logged
//
// The server checks the folder of models every Config.Reload. A request uses the model that it started with,
// so no request is lost when models are replaced. See docs/production.md for requests, limits and metrics.
package serving

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"golang.org/x/sync/semaphore"
)

// Config describes what is served and the limits. Zero fields have the defaults of [DefaultConfig], unless
// zero has its own meaning.
type Config struct {
	Models  string        // the folder of models, or one model file
	Reload  time.Duration // how often the folder is checked; 0 is never
	Version string        // of the server, for its metadata

	MaxRequestBytes int           // of the body of a request, also after decompression
	MaxConnections  int           // concurrent connections, each with a request at most; more wait
	Timeout         time.Duration // for reading a request, and for answering it
	Drain           time.Duration // time between reporting "not ready" and closing the listener
	Threads         int           // requests that are computed at the same time; 0 is the number of CPUs

	Log *slog.Logger // [slog.Default] if nil
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Reload: 2 * time.Second, MaxRequestBytes: 8 << 20, MaxConnections: 1024,
		Timeout: 10 * time.Second}
}

// Server answers requests. Its methods may be called concurrently.
type Server struct {
	config   Config
	models   *models
	handler  http.Handler
	metrics  *metrics.Set
	seconds  *metrics.PrometheusHistogram // of requests for scores
	inFlight *metrics.Gauge               // requests for scores
	threads  *semaphore.Weighted          // for requests that are computed
	draining atomic.Bool                  // the server is shutting down
}

// New returns a server with its models loaded. It fails if the folder cannot be read,
// or if no model can be loaded.
func New(c Config) (*Server, error) {
	d := DefaultConfig()
	c.MaxRequestBytes = cmp.Or(c.MaxRequestBytes, d.MaxRequestBytes)
	c.MaxConnections = cmp.Or(c.MaxConnections, d.MaxConnections)
	c.Timeout = cmp.Or(c.Timeout, d.Timeout)
	c.Threads = cmp.Or(c.Threads, runtime.GOMAXPROCS(0))
	c.Log = cmp.Or(c.Log, slog.Default())
	set := metrics.NewSet()
	models, err := openModels(c.Models, max(c.MaxRequestBytes/2, 1<<16), c.Log, set)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, models: models, metrics: set,
		seconds:  set.NewPrometheusHistogramExt("lambdamart_request_seconds", bounds),
		inFlight: set.NewGauge("lambdamart_requests_in_flight", nil),
		threads:  semaphore.NewWeighted(int64(c.Threads))}
	set.NewGauge("lambdamart_ready", func() float64 { return map[bool]float64{true: 1}[s.ready()] })
	s.handler = s.routes()
	return s, nil
}

// Handler returns the handler of all requests. It applies all limits except those of connections and of the
// time to read a request.
func (s *Server) Handler() http.Handler { return s.handler }

// ready reports whether the server should get requests.
func (s *Server) ready() bool { return !s.draining.Load() }

// Serve answers the connections of l until ctx is canceled. Then health reports "not ready" for
// Config.Drain; afterwards the server stops listening, finishes the requests in progress, and returns nil. It
// returns an error if it cannot listen, or if requests do not finish within twice Config.Timeout. Serve
// closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.handler, ReadTimeout: s.config.Timeout, WriteTimeout: 2 * s.config.Timeout,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ConnState: limited(s.config.MaxConnections),
		ErrorLog:  slog.NewLogLogger(s.config.Log.Handler(), slog.LevelError), // of panics
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.models.watch(watching, s.config.Reload)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.config.Log.Info("ending", "requests_in_flight", s.inFlight.Get(),
		"drain_seconds", s.config.Drain.Seconds())
	time.Sleep(s.config.Drain)
	ending, cancel := context.WithTimeout(context.Background(), 2*s.config.Timeout)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		server.Close()
		return errors.New("some requests did not end in time, and were cut off")
	}
	s.config.Log.Info("ended")
	return nil
}

// limited returns a hook of connections that keeps the server from accepting one while n are open.
func limited(n int) func(net.Conn, http.ConnState) {
	open := make(chan struct{}, n)
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew: // the server waits for the hook before it accepts the next connection
			open <- struct{}{}
		case http.StateClosed:
			<-open
		}
	}
}
