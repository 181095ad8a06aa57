// Package serving answers requests for scores over the network, by the Open Inference Protocol, version 2, in
// HTTP and gRPC on the same port.
//
//	connection ─► listener: no more than Config.MaxConnections
//	                 │
//	              guard: token, concurrent requests, bytes, time
//	                 │
//	     HTTP ───────┼────── gRPC       the forms of the protocol (internal/oip)
//	                 ▼
//	              infer: the model by name and version (internal/repository)
//	                 │
//	              scores of the documents (internal/ranker), on one of Config.Threads
//	                 ▼
//	              response; counted in metrics (internal/prom), and logged
//
// The server checks the folder of models every Config.Reload. A request uses the model that it started with,
// so no request is lost when models are replaced. See docs/production.md for requests, limits and metrics.
package serving

import (
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
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

	Token             string        // that clients must send; "" for none
	CertFile, KeyFile string        // for TLS, read again when they change; "" for none
	MaxRequestBytes   int           // of the body of a request, also after decompression
	MaxRequests       int           // concurrent requests for scores; more are refused
	MaxConnections    int           // concurrent connections; more wait
	Timeout           time.Duration // for reading a request, and for answering it
	Drain             time.Duration // time between reporting "not ready" and closing the listener
	Threads           int           // requests that are computed at the same time; 0 is the number of CPUs

	Log *slog.Logger // [slog.Default] if nil
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Reload: 2 * time.Second, MaxRequestBytes: 8 << 20, MaxRequests: 256, MaxConnections: 1024,
		Timeout: 10 * time.Second}
}

// withDefaults returns c with the defaults in fields that cannot be zero.
func (c Config) withDefaults() Config {
	d := DefaultConfig()
	setDefault(&c.MaxRequestBytes, d.MaxRequestBytes)
	setDefault(&c.MaxRequests, d.MaxRequests)
	setDefault(&c.MaxConnections, d.MaxConnections)
	setDefault(&c.Timeout, d.Timeout)
	setDefault(&c.Threads, runtime.GOMAXPROCS(0))
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// Server answers requests. Its methods may be called concurrently.
type Server struct {
	config   Config
	log      *slog.Logger
	models   *repository.Repository
	handler  http.Handler
	meters   *meters
	cert     *certificate  // nil without TLS
	slots    chan struct{} // holds a value for each request being computed
	inFlight atomic.Int64  // requests for scores
	draining atomic.Bool   // the server is shutting down
}

// New returns a server with its models loaded. It fails if the folder cannot be read, if no model can be
// loaded, or if a certificate cannot be used.
func New(c Config) (*Server, error) {
	c = c.withDefaults()
	s := &Server{config: c, log: c.Log, slots: make(chan struct{}, c.Threads), meters: newMeters()}
	var err error
	if c.CertFile != "" {
		if s.cert, err = newCertificate(c.CertFile, c.KeyFile); err != nil {
			return nil, err
		}
	}
	options := ranker.Options{NeedNames: c.NeedNames, NaNAsZero: c.NaNAsZero,
		MaxValues: max(c.MaxRequestBytes/2, 1<<16)}
	if s.models, err = repository.Open(c.Models, options, c.Log); err != nil {
		return nil, err
	}
	s.handler = s.routes()
	return s, nil
}

// Handler returns the handler of all requests. It applies all limits except those of connections. gRPC needs
// HTTP/2.
func (s *Server) Handler() http.Handler { return s.handler }

// Refresh checks the folder of models now. It fails if the folder cannot be read; models that cannot be
// loaded are logged and counted.
func (s *Server) Refresh() error {
	err := s.models.Refresh()
	if s.cert != nil {
		s.cert.refresh(s.log)
	}
	return err
}

// ready reports whether the server should get requests.
func (s *Server) ready() bool { return !s.draining.Load() }

// description is the metadata of the server.
func (s *Server) description() *oip.Server {
	return &oip.Server{Name: "lambdamart", Version: s.config.Version,
		Extensions: []string{"binary_tensor_data", "model_repository"}}
}

// metadata describes a model.
func (s *Server) metadata(v *repository.Version) *oip.Metadata {
	return &oip.Metadata{
		Name: v.Name, Versions: s.models.Versions(v.Name), Platform: "lambdamart",
		Inputs: v.Ranker.Inputs(), Outputs: v.Ranker.Outputs(),
	}
}
