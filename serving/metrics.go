package serving

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// bounds are those of the histogram of times, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
	1, 2.5, 5, 10}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns the name of a metric with labels, given as names and values in turn.
func series(name string, labels ...string) string {
	var list []string
	for i := 0; i < len(labels); i += 2 {
		list = append(list, fmt.Sprintf(`%s="%s"`, labels[i], escape.Replace(labels[i+1])))
	}
	return name + "{" + strings.Join(list, ",") + "}"
}

// count counts and logs a request for scores.
func (s *Server) count(took time.Duration, a *answer, err error) {
	code, name, version := http.StatusOK, "", ""
	if a.model != nil {
		name, version = a.model.name, a.model.version
	}
	facts := []any{"model", name, "version", version, "seconds", took.Seconds(), "documents", a.documents}
	if err != nil {
		code = statusOf(err)
		facts = append(facts, "error", err.Error())
	}
	s.metrics.GetOrCreateCounter(series("lambdamart_requests_total", "model", name, "version", version, "code",
		strconv.Itoa(code))).Inc()
	s.metrics.GetOrCreateCounter(series("lambdamart_documents_total", "model", name, "version", version)).
		Add(a.documents)
	s.seconds.Update(took.Seconds())
	s.log.Debug("request", append(facts, "code", code)...)
}

// writeMetrics writes all metrics, and those of the process. The client may be gone.
func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.metrics.WritePrometheus(w)
	loaded := metrics.NewSet()
	for _, m := range s.models.all() {
		loaded.NewGauge(series("lambdamart_model_loaded_timestamp_seconds", "model", m.name, "version", m.version,
			"sha256", m.sha256), func() float64 { return float64(m.loaded.UnixMilli()) / 1000 })
	}
	loaded.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
