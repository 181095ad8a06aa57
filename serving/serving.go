// Package serving answers requests for scores over HTTP, by the Open Inference Protocol, version 2, in JSON.
//
//	connection ─► listener: no more than Config.MaxConnections
//	                 │
//	              guard: token, concurrent requests, bytes, time
//	                 │
//	              request (internal/oip)
//	                 │
//	              the model by name and version (internal/repository)
//	                 │
//	              scores of the documents (internal/ranker), on one of Config.Threads
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

	"github.com/lambdamart/lambdamart/serving/internal/ranker"
	"github.com/lambdamart/lambdamart/serving/internal/repository"
)

// Config describes what is served and the limits. Zero fields have the defaults of [DefaultConfig], unless
// zero has its own meaning.
type Config struct {
	Models  string        // the folder of models, or one model file
	Reload  time.Duration // how often the folder is checked; 0 is never
	Version string        // of the server, for its metadata

	NeedNames bool // requests must name the columns of features
	NaNAsZero bool // NaN counts as 0 where a model has no side for missing values; otherwise it is refused

	Token           string        // that clients must send; "" for none
	MaxRequestBytes int           // of the body of a request, also after decompression
	MaxRequests     int           // concurrent requests for scores; more are refused
	MaxConnections  int           // concurrent connections; more wait
	Timeout         time.Duration // for reading a request, and for answering it
	Drain           time.Duration // time between reporting "not ready" and closing the listener
	Threads         int           // requests that are computed at the same time; 0 is the number of CPUs

	Log *slog.Logger // [slog.Default] if nil
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Reload: 2 * time.Second, MaxRequestBytes: 8 << 20, MaxRequests: 256, MaxConnections: 1024,
		Timeout: 10 * time.Second}
}

// Server answers requests. Its methods may be called concurrently.
type Server struct {
	config   Config
	log      *slog.Logger
	models   *repository.Repository
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
	c.MaxRequests = cmp.Or(c.MaxRequests, d.MaxRequests)
	c.MaxConnections = cmp.Or(c.MaxConnections, d.MaxConnections)
	c.Timeout = cmp.Or(c.Timeout, d.Timeout)
	c.Threads = cmp.Or(c.Threads, runtime.GOMAXPROCS(0))
	c.Log = cmp.Or(c.Log, slog.Default())
	options := ranker.Options{NeedNames: c.NeedNames, NaNAsZero: c.NaNAsZero,
		MaxValues: max(c.MaxRequestBytes/2, 1<<16)}
	models, err := repository.Open(c.Models, options, c.Log)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, log: c.Log, models: models, slots: make(chan struct{}, c.Threads)}
	s.meters, s.handler = newMeters(s), s.routes()
	return s, nil
}

// Handler returns the handler of all requests. It applies all limits except those of connections.
func (s *Server) Handler() http.Handler { return s.handler }

// Refresh checks the folder of models now. It fails if the folder cannot be read; models that cannot be
// loaded are logged and counted.
func (s *Server) Refresh() error { return s.models.Refresh() }
