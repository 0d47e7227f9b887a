package io.kubemirror.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.KubeClient.ServerVersion;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Unchecked;

/** An API server with scripted answers to requests that are passed on. */
public final class FakeForwardingApi extends KubeClient {

    public static final Failure AWAY =
            new Failure.Unreachable("connection refused", Failure.Unreachable.Kind.REFUSED);

    /** The requests that were passed on, with the credentials of kubemirror or of their clients. */
    public final BlockingQueue<PassedRequest> forwarded = new LinkedBlockingQueue<>();

    public final BlockingQueue<ListRequest> lists = new LinkedBlockingQueue<>();
    public volatile Result<ServerVersion> version = Result.failed(AWAY);
    private volatile Function<PassedRequest, Result<PassedResponse>> answers =
            _ -> Result.failed(AWAY);
    private volatile Result<ListMeta> list = Result.failed(AWAY);

    public FakeForwardingApi() {
        super(
                new UpstreamSettings("http://127.0.0.1:1", null, null),
                ProcessEnvironment.ofProcess(),
                ClientLimits.usual("test"));
    }

    /** How requests are answered from now on. */
    public void answers(Function<PassedRequest, Result<PassedResponse>> with) {
        answers = with;
    }

    /** Answers with a list of no object at a revision. */
    public void answersAt(long revision) {
        answers(_ -> answer(200, "application/json", list(revision)));
    }

    /** The revision that a verification gets. */
    public void isAt(long revision) {
        list = Result.of(new ListMeta(KubeObjects.revision(revision), null));
    }

    /** It is away, and forgets what it was asked. */
    public void reset() {
        answers = _ -> Result.failed(AWAY);
        list = Result.failed(AWAY);
        forwarded.clear();
        lists.clear();
    }

    public static String list(long revision) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
                + revision
                + "\"},\"items\":[]}\n";
    }

    public static Result<PassedResponse> answer(int code, String contentType, String body) {
        return answer(code, contentType, new ByteArrayInputStream(body.getBytes(UTF_8)));
    }

    public static Result<PassedResponse> answer(int code, String contentType, InputStream body) {
        return answer(code, Map.of("Content-Type", List.of(contentType)), body);
    }

    public static Result<PassedResponse> answer(
            int code, Map<String, List<String>> headers, InputStream body) {
        return Result.of(
                new PassedResponse(code, headers, body, null, () -> Unchecked.run(body::close)));
    }

    /** An answer with gzip, as an API server sends a large body to a client that accepts it. */
    public static Result<PassedResponse> zipped(String body) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(body.getBytes(UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return answer(
                200,
                Map.of(
                        "Content-Type", List.of("application/json"),
                        "Content-Encoding", List.of("gzip")),
                new ByteArrayInputStream(zipped.toByteArray()));
    }

    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        // The definition of widgets can be read, others cannot.
        return type.equals(ApiSamples.WIDGETS)
                ? Result.of(new ResourceDefinition(List.of(ApiSamples.WIDGET_APP), List.of(), ""))
                : Result.failed(AWAY);
    }

    @Override
    public Result<PassedResponse> pass(PassedRequest request) {
        forwarded.add(request);
        return answers.apply(request);
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        lists.add(request);
        return list;
    }

    @Override
    public Result<ServerVersion> version() {
        return version;
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return Result.failed(AWAY);
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        return Result.failed(AWAY);
    }
}
