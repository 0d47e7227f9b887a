package io.kubemirror.api;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.AccessOutcome;
import io.kubemirror.upstream.ColumnsOutcome;
import io.kubemirror.upstream.DiscoveryOutcome;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ForwardOutcome;
import io.kubemirror.upstream.ForwardRequest;
import io.kubemirror.upstream.ListOutcome;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.UpstreamApi;
import io.kubemirror.upstream.VersionOutcome;
import io.kubemirror.upstream.WatchOutcome;
import io.kubemirror.upstream.WatchRequest;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/** An API server that answers what is handed on to it as the test says. */
final class FakeForwardingApi implements UpstreamApi {

    static final Failure AWAY = new Failure.Unreachable("the connection was refused", true);

    final BlockingQueue<ForwardRequest> forwarded = new LinkedBlockingQueue<>();
    final BlockingQueue<ListRequest> lists = new LinkedBlockingQueue<>();
    volatile VersionOutcome version = AWAY;
    private volatile Function<ForwardRequest, ForwardOutcome> answers = _ -> AWAY;
    private volatile ListOutcome list = AWAY;

    /** How requests are answered from now on. */
    void answers(Function<ForwardRequest, ForwardOutcome> with) {
        answers = with;
    }

    /** Answers with a list of no object at a revision. */
    void answersAt(long revision) {
        answers(_ -> answer(200, "application/json", list(revision)));
    }

    /** The revision that it tells who wants to verify. */
    void isAt(long revision) {
        list = new ListOutcome.Page(ApiSamples.revision(revision), null);
    }

    /** It is away, and forgets what it was asked. */
    void reset() {
        answers = _ -> AWAY;
        list = AWAY;
        forwarded.clear();
        lists.clear();
    }

    static String list(long revision) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\""
                + revision
                + "\"},\"items\":[]}\n";
    }

    static ForwardOutcome.Answered answer(int code, String contentType, String body) {
        return answer(
                code, contentType, new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    }

    static ForwardOutcome.Answered answer(int code, String contentType, InputStream body) {
        return new ForwardOutcome.Answered(code, contentType, Map.of(), body);
    }

    @Override
    public AccessOutcome access(Permission permission) {
        return AWAY;
    }

    @Override
    public ColumnsOutcome columns(ResourceType type) {
        return AWAY;
    }

    @Override
    public ForwardOutcome forward(ForwardRequest request) {
        forwarded.add(request);
        return answers.apply(request);
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        lists.add(request);
        return list;
    }

    @Override
    public VersionOutcome version() {
        return version;
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        return AWAY;
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        return AWAY;
    }
}
