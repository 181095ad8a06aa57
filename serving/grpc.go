package serving

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
)

// grpcService is the path of the service; the name of a procedure follows.
const grpcService = "/inference.GRPCInferenceService/"

// codeOf maps errors to gRPC codes.
var codeOf = map[oip.Code]connect.Code{
	oip.CodeInvalid:         connect.CodeInvalidArgument,
	oip.CodeNotFound:        connect.CodeNotFound,
	oip.CodeUnauthenticated: connect.CodeUnauthenticated,
	oip.CodeTooLarge:        connect.CodeResourceExhausted,
	oip.CodeBusy:            connect.CodeUnavailable,
	oip.CodeTimeout:         connect.CodeDeadlineExceeded,
	oip.CodeInternal:        connect.CodeInternal,
}

// grpc returns the handler of the service.
func (s *Server) grpc() http.Handler {
	mux := http.NewServeMux()
	s.procedure(mux, "ServerLive", func(context.Context, *message) ([]byte, error) {
		return oip.EncodeBool(true), nil
	})
	s.procedure(mux, "ServerReady", func(context.Context, *message) ([]byte, error) {
		return oip.EncodeBool(s.ready()), nil
	})
	s.procedure(mux, "ServerMetadata", func(context.Context, *message) ([]byte, error) {
		return oip.EncodeServer(s.description()), nil
	})
	s.procedure(mux, "ModelReady", func(_ context.Context, m *message) ([]byte, error) {
		_, err := s.models.Find(m.name, m.version)
		return oip.EncodeBool(err == nil && s.ready()), nil
	})
	s.procedure(mux, "ModelMetadata", func(_ context.Context, m *message) ([]byte, error) {
		v, err := s.models.Find(m.name, m.version)
		if err != nil {
			return nil, err
		}
		return oip.EncodeMetadata(s.metadata(v)), nil
	})
	s.procedure(mux, "RepositoryIndex", func(context.Context, *message) ([]byte, error) {
		return oip.EncodeIndex(s.models.Index()), nil
	})
	s.procedure(mux, "RepositoryModelLoad", func(_ context.Context, m *message) ([]byte, error) {
		return nil, s.load(m.version)
	})
	s.procedure(mux, "ModelInfer", s.inferGRPC)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, known := mux.Handler(r); known == "" || !isGRPC(r) {
			refuse(w, r, oip.Errorf(oip.CodeNotFound, "there is no procedure %.200s", r.URL.Path))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// message is the request of a procedure, which determines the fields that are set.
type message struct {
	name, version string       // in requests about a model; for RepositoryModelLoad, version holds the name
	infer         *oip.Request // of ModelInfer
}

// procedure adds the handler of a procedure of the service to mux.
func (s *Server) procedure(mux *http.ServeMux, name string, do func(context.Context, *message) ([]byte,
	error)) {
	unary := func(ctx context.Context, r *connect.Request[message]) (*connect.Response[[]byte], error) {
		b, err := do(ctx, r.Msg)
		if err != nil {
			return nil, toConnect(err)
		}
		return connect.NewResponse(&b), nil
	}
	mux.Handle(grpcService+name, connect.NewUnaryHandler(grpcService+name, unary,
		connect.WithCodec(codec{procedure: name}), connect.WithReadMaxBytes(s.config.MaxRequestBytes),
		connect.WithCompressMinBytes(1<<20)))
}

// inferGRPC answers a request for scores.
func (s *Server) inferGRPC(ctx context.Context, m *message) ([]byte, error) {
	var a answer
	var response *oip.Response
	done := s.meters.begin("grpc", &a)
	err := s.compute(ctx, func() (err error) {
		response, err = s.infer(ctx, m.infer, &a)
		return err
	})
	done(err, s.log)
	if err != nil {
		return nil, err
	}
	return oip.EncodeInfer(response), nil
}

func toConnect(err error) error {
	e := oip.ErrorOf(err)
	return connect.NewError(codeOf[e.Code], errors.New(e.Text))
}

// refuseGRPC answers a request that does not reach a procedure.
func refuseGRPC(w http.ResponseWriter, r *http.Request, err error) {
	connect.NewErrorWriter().Write(w, r, toConnect(err)) // the client may be gone
}

// codec decodes the requests of a procedure. Responses are already encoded.
type codec struct{ procedure string }

// Name returns the name of gRPC's default encoding.
func (codec) Name() string { return "proto" }

// Unmarshal reads a request. b belongs to the caller.
func (c codec) Unmarshal(b []byte, into any) (err error) {
	m, ok := into.(*message)
	if !ok {
		return fmt.Errorf("serving: a message of type %T", into)
	}
	switch c.procedure {
	case "ModelInfer":
		m.infer, err = oip.DecodeInfer(b)
	case "ModelReady", "ModelMetadata", "RepositoryModelLoad":
		m.name, m.version, err = oip.DecodeName(b)
	}
	return err
}

// Marshal writes a response, or the details of an error, whose type the connect library defines.
func (codec) Marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case *[]byte:
		return *v, nil
	case proto.Message:
		return proto.Marshal(v)
	}
	return nil, fmt.Errorf("serving: a message of type %T", v)
}
