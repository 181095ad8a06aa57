package serving

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// constant returns the text of a model that gives every document the same score.
func constant(t testing.TB, score float64) []byte {
	t.Helper()
	return bytesOf(t, &tree.Ensemble{Features: named("a"),
		Trees: []tree.Tree{{LeafValue: []float64{score}, LeafWeight: []float64{1}, LeafCount: []int64{1}}}})
}

// replace replaces a file atomically.
func replace(t testing.TB, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)) // which the server leaves out
	require.NoError(t, os.WriteFile(temporary, content, 0o666))
	require.NoError(t, os.Rename(temporary, path))
}

// running is a server and its addresses.
type running struct {
	*Server
	folder, address string
	stop            context.CancelFunc
	ended           chan error
	log             *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// start runs a server with the model "shop", whose scores are 1.
func start(t testing.TB, change func(*Config)) *running {
	t.Helper()
	r := &running{folder: t.TempDir(), ended: make(chan error, 1), log: new(safeBuffer)}
	replace(t, filepath.Join(r.folder, "shop.txt"), constant(t, 1))
	c := DefaultConfig()
	c.Models, c.Reload, c.Timeout = r.folder, 0, patience
	c.Log = slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if change != nil {
		change(&c)
	}
	var err error
	r.Server, err = New(c)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.address = l.Addr().String()
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	go func() { r.ended <- r.Serve(ctx, l) }()
	t.Cleanup(r.stop)
	return r
}

const oneDocument = `{"id":"i","inputs":[{"name":"features","datatype":"FP64","shape":[1,1],"data":[5]}]}`

// post sends a request, and returns the status and the body.
func (r *running) post(t testing.TB, path, body string, header ...string) (int, string) {
	t.Helper()
	return send(t, http.DefaultClient, "POST", "http://"+r.address+path, body, header...)
}

func (r *running) get(t testing.TB, path string, header ...string) (int, string) {
	t.Helper()
	return send(t, http.DefaultClient, "GET", "http://"+r.address+path, "", header...)
}

func send(t testing.TB, client *http.Client, method, url, body string, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(b)
}

// requireError requires a status, and a JSON error that contains part.
func requireError(t testing.TB, status int, part string, gotStatus int, body string) {
	t.Helper()
	require.Equal(t, status, gotStatus, body)
	var e map[string]string
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	require.Contains(t, e["error"], part)
	require.Len(t, e, 1)
}

func TestErrors(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxRequestBytes = 4096 })
	status, _ := r.post(t, "/v2/models/shop/infer", oneDocument)
	require.Equal(t, 200, status)
	for _, c := range []struct {
		body, want, header, value string
		status                    int
	}{
		{strings.Repeat(" ", 5000), "4,096 bytes", "Content-Encoding", "identity", 413},
		{oneDocument, "Content-Encoding", "Content-Encoding", "br", 415},
		{oneDocument, "could not be read", "Content-Encoding", "gzip", 400},
		{zipped(t, strings.Repeat(" ", 5000)), "4,096 bytes", "Content-Encoding", "gzip", 413},
		{oneDocument, "binary tensors are not supported", "Inference-Header-Content-Length", "80", 400},
	} {
		status, got := r.post(t, "/v2/models/shop/infer", c.body, c.header, c.value)
		requireError(t, c.status, c.want, status, got)
	}
	status, got := r.post(t, "/v2/models/shop/infer", zipped(t, oneDocument), "Content-Encoding", "gzip")
	assert.Equal(t, 200, status, got)
	r.post(t, "/v2/models/shap/infer", oneDocument)
	_, got = r.get(t, "/metrics")
	assert.Contains(t, got, `lambdamart_requests_total{model="shop",version="1",code="200"} 2`)
	assert.Contains(t, got, `lambdamart_requests_total{model="",version="",code="413"} 2`)
	assert.Contains(t, got, `lambdamart_documents_total{model="shop",version="1"} 2`)
	assert.Contains(t, got, `lambdamart_request_seconds_count 8`)
	assert.Contains(t, got, `lambdamart_model_loads_total{result="ok"} 1`)
	assert.Contains(t, got, `lambdamart_model_loaded_timestamp_seconds{model="shop",version="1",sha256="`)
	assert.Contains(t, got, "process_start_time_seconds")
	assert.NotContains(t, got, "shap", "names that clients invent are no labels")
	assert.NotContains(t, r.log.String(), "panic")
}

// TestManyOutputs: an output that the model lacks is refused at once. Outputs were compared with one another
// before, which took minutes for the longest request.
func TestManyOutputs(t *testing.T) {
	r := start(t, nil)
	var wanted strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&wanted, `{"name":"%d"},`, i)
	}
	body := `{"outputs":[` + wanted.String() + `{"name":"0"}],` + oneDocument[1:]
	status, got := r.post(t, "/v2/models/shop/infer", body)
	requireError(t, 400, `there is no output "0"; there is "score"`, status, got)
}

// TestRefusalsArrive: a client that sends a whole request before it reads gets the answer, also to a request
// of which the server needs little.
func TestRefusalsArrive(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxRequestBytes = 1 << 20 })
	body := strings.Repeat(" ", 6<<20)
	for head, want := range map[string]string{
		"POST /v2/models/shop/infer HTTP/1.1\r\n":                                        "HTTP/1.1 413 ",
		"POST /v2/models/shop/infer HTTP/1.1\r\nInference-Header-Content-Length: 80\r\n": "HTTP/1.1 400 ",
		"POST /v2/nothing HTTP/1.1\r\n":                                                  "HTTP/1.1 404 ",
	} {
		c, err := net.Dial("tcp", r.address)
		require.NoError(t, err)
		_, err = fmt.Fprintf(c, "%sHost: a\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
		require.NoError(t, err, head)
		status := make([]byte, len(want))
		_, err = io.ReadFull(c, status)
		require.NoError(t, err, head)
		assert.Equal(t, want, string(status))
		require.NoError(t, c.Close())
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// TestNamesInMetrics: a model may have any name that a file can have.
func TestNamesInMetrics(t *testing.T) {
	r := start(t, nil)
	replace(t, filepath.Join(r.folder, `a"b\c{}=,`+"\n"+`.txt`), constant(t, 2))
	require.NoError(t, r.models.refresh())
	_, got := r.get(t, "/metrics")
	assert.Contains(t, got, `{model="a\"b\\c{}=,\n",version="1",`)
}

// TestNoRequestIsLost replaces a model while four clients send requests: every request is answered, with the
// score of a model that was in place.
func TestNoRequestIsLost(t *testing.T) {
	r := start(t, func(c *Config) { c.Reload = time.Millisecond })
	const requests, models = 500, 40
	var wrong, sent, placed atomic.Int64
	placed.Store(1)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for last := 0.0; sent.Add(1) <= requests; {
				status, body := r.post(t, "/v2/models/shop/infer", oneDocument)
				var got struct{ Outputs []struct{ Data []float64 } }
				if status != 200 || json.Unmarshal([]byte(body), &got) != nil {
					wrong.Add(1)
					return
				}
				score := got.Outputs[0].Data[0]
				if score < last || score > float64(placed.Load()) {
					wrong.Add(1)
				}
				last = score
			}
		})
	}
	for score := int64(2); score <= models; score++ {
		placed.Store(score)
		replace(t, filepath.Join(r.folder, "shop.txt"), constant(t, float64(score)))
		due := score * requests / models // spreads the models over the requests
		soon(t, func() bool { return sent.Load() >= due })
	}
	clients.Wait()
	assert.Zero(t, wrong.Load())
	soon(t, func() bool {
		_, body := r.post(t, "/v2/models/shop/infer", oneDocument)
		return strings.Contains(body, `"data":[40]`)
	})
	assert.Greater(t, r.models.loads.Get(), uint64(1))
	assert.Zero(t, r.models.failures.Get())
}

// slow connects and sends only the beginning of a request for scores.
func (r *running) slow(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
	require.NoError(t, err)
	return c
}

// patience is a limit that only prevents tests from hanging.
const patience = time.Hour

// soon waits until a condition is true.
func soon(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, time.Millisecond)
}

func TestSlowClientsAreEnded(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout = 100 * time.Millisecond })
	soon(t, func() bool { // on a busy machine the head of a request can be late too, which gets no answer
		answer, _ := io.ReadAll(r.slow(t))
		return strings.Contains(string(answer), "408 Request Timeout") &&
			strings.Contains(string(answer), "the request did not arrive in time")
	})
	soon(t, func() bool { return r.inFlight.Get() == 0 })
}

// TestHostileClients: bytes that are not a request end only their own connection.
func TestHostileClients(t *testing.T) {
	r := start(t, nil)
	for _, text := range []string{
		"\x00\x01\x02", "GET / HTTP/9.9\r\n\r\n", strings.Repeat("A", 100_000),
		"POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"POST /v2/models/shop/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + strings.Repeat("\xff", 1000),
		"GET /v2/models/" + strings.Repeat("%00/../", 1000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v2 HTTP/1.1\r\nX: " + strings.Repeat("y", 1<<20),
	} {
		c, err := net.Dial("tcp", r.address)
		require.NoError(t, err)
		c.Write([]byte(text)) // the server may end the connection before it has all
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
		c.Close()
	}
	status, _ := r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Equal(t, 200, status)
	assert.NotContains(t, r.log.String(), "panic")
}

func TestConnectionsAreBounded(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxConnections = 2 })
	first, _ := r.slow(t), r.slow(t)
	answered := make(chan int)
	go func() {
		status, _ := send(t, &http.Client{Transport: new(http.Transport)}, "POST",
			"http://"+r.address+"/v2/models/shop/infer", oneDocument)
		answered <- status
	}()
	select {
	case <-answered:
		t.Error("it does not wait until a connection has ended")
	case <-time.After(100 * time.Millisecond):
	}
	first.Close()
	assert.Equal(t, 200, <-answered)
}

// TestRequestsWaitForThreads: a request that gets none in its time is refused.
func TestRequestsWaitForThreads(t *testing.T) {
	r := start(t, func(c *Config) { c.Timeout, c.Threads = 100*time.Millisecond, 1 })
	ask := func() (status int, body string) { // not over a connection, whose head can be late on a busy machine
		answer := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/v2/models/shop/infer", strings.NewReader(oneDocument))
		r.Handler().ServeHTTP(answer, request)
		return answer.Code, answer.Body.String()
	}
	require.NoError(t, r.threads.Acquire(t.Context(), 1))
	status, body := ask()
	requireError(t, 503, "could not start the request in time", status, body)
	r.threads.Release(1)
	soon(t, func() bool {
		status, _ := ask()
		return status == 200
	})
}

// TestAnswersAreEncodedOnce: an answer is encoded while its request has a thread, and written as it is.
func TestAnswersAreEncodedOnce(t *testing.T) {
	r := start(t, nil)
	request := httptest.NewRequest("POST", "/v2/models/shop/infer", strings.NewReader(oneDocument))
	request.SetPathValue("model", "shop")
	_, encoded, err := r.score(request)
	require.NoError(t, err)
	_, body := r.post(t, "/v2/models/shop/infer", oneDocument)
	assert.Equal(t, body, string(encoded))
}

// TestStopHasADeadline: a request that does not end does not keep the server.
func TestStopHasADeadline(t *testing.T) {
	folder, began, held := t.TempDir(), make(chan bool), make(chan bool)
	replace(t, filepath.Join(folder, "shop.txt"), constant(t, 1))
	s, err := New(Config{Models: folder, Timeout: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	s.handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { began <- true; <-held })
	defer close(held)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	go func() {
		for ctx.Err() == nil { // on a busy machine a request can be late, and is not answered
			http.Get("http://" + l.Addr().String())
		}
	}()
	<-began
	stop()
	assert.ErrorContains(t, <-ended, "some requests did not end in time")
}

func TestGracefulEnd(t *testing.T) {
	r := start(t, func(c *Config) { c.Drain = time.Second })
	c := r.slow(t)
	soon(t, func() bool { return r.inFlight.Get() == 1 })
	r.stop()
	soon(t, func() bool {
		answer, err := http.Get("http://" + r.address + "/v2/health/ready")
		if err != nil {
			return true // on a busy machine it may stop listening before it is asked
		}
		answer.Body.Close()
		assert.Equal(t, answer.StatusCode == 503, answer.Close, "no further request on this connection")
		return answer.StatusCode == 503
	})
	soon(t, func() bool { // wait until it no longer listens
		probe, err := net.Dial("tcp", r.address)
		if err == nil {
			probe.Close()
		}
		return err != nil
	})
	fmt.Fprintf(c, "%s", strings.Repeat(" ", 998)+"}") // a request without inputs
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.Contains(t, string(answer), "400 Bad Request", "the request in progress is answered")
	require.NoError(t, <-r.ended)
}

// TestPanicEndsOneRequest: a defect is logged as an error, and the server goes on.
func TestPanicEndsOneRequest(t *testing.T) {
	folder, log := t.TempDir(), new(safeBuffer)
	replace(t, filepath.Join(folder, "shop.txt"), constant(t, 1))
	s, err := New(Config{Models: folder, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	whole := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/defect" {
			panic("a defect")
		}
		whole.ServeHTTP(w, r)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(t.Context(), l)
	_, err = http.Get("http://" + l.Addr().String() + "/defect")
	require.ErrorIs(t, err, io.EOF)
	assert.Regexp(t, "level=ERROR.*a defect", log.String())
	status, _ := send(t, http.DefaultClient, "GET", "http://"+l.Addr().String()+"/v2", "")
	assert.Equal(t, 200, status)
}
