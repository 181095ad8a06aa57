// Package serving answers requests for scores over HTTP, by the Open Inference Protocol, version 2, in JSON.
//
//	connection ─► listener: no more than Config.MaxConnections
//	                 │
//	              body: Config.MaxRequestBytes, in Config.Timeout
//	                 │
//	              request (internal/oip), on one of Config.Threads
//	                 │
//	              the model by name and version
//	                 │
//	              scores of the documents (internal/ranker)
//	                 ▼
//	              response; counted in metrics, and logged
//
// The server checks the folder of models every Config.Reload. A request uses the model that it started with,
// so no request is lost when models are replaced. See docs/production.md for requests, limits and metrics.
package serving

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"
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
	log      *slog.Logger
	models   *models
	handler  http.Handler
	meters   *meters
	slots    chan struct{} // holds a value for each request being computed
	inFlight atomic.Int64  // requests for scores
	draining atomic.Bool   // the server is shutting down
}

// New returns a server with its models loaded. It fails if the folder cannot be read, or if no model can be
// loaded.
func New(c Config) (*Server, error) {
	d := DefaultConfig()
	c.MaxRequestBytes = cmp.Or(c.MaxRequestBytes, d.MaxRequestBytes)
	c.MaxConnections = cmp.Or(c.MaxConnections, d.MaxConnections)
	c.Timeout = cmp.Or(c.Timeout, d.Timeout)
	c.Threads = cmp.Or(c.Threads, runtime.GOMAXPROCS(0))
	c.Log = cmp.Or(c.Log, slog.Default())
	models, err := openModels(c.Models, max(c.MaxRequestBytes/2, 1<<16), c.Log)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, log: c.Log, models: models, slots: make(chan struct{}, c.Threads)}
	s.meters, s.handler = newMeters(s), s.routes()
	return s, nil
}

// Handler returns the handler of all requests. It applies all limits except those of connections and of the
// time to read a request.
func (s *Server) Handler() http.Handler { return s.handler }

// Refresh checks the folder of models now. It fails if the folder cannot be read; models that cannot be
// loaded are logged and counted.
func (s *Server) Refresh() error { return s.models.refresh() }

// ready reports whether the server should get requests.
func (s *Server) ready() bool { return !s.draining.Load() }
