package io.kubemirror.reflector;

import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.ForwardOutcome;
import io.kubemirror.kube.ForwardRequest;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.VersionOutcome;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.kube.WatchStream;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** An API server that answers as it was told beforehand and remembers what it was asked. */
final class FakeKubeApi implements KubeApi {

    final List<ListRequest> lists = new ArrayList<>();
    final List<WatchRequest> watches = new ArrayList<>();
    VersionOutcome version = new VersionOutcome.Known("v1.36.0", "{\"gitVersion\":\"v1.36.0\"}");
    private final Deque<DiscoveryOutcome> discoveries = new ArrayDeque<>();
    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Deque<WatchOutcome> streams = new ArrayDeque<>();

    private Runnable before = () -> {};

    private record Answer(ListOutcome outcome, List<KubeObject> objects) {}

    FakeKubeApi discovers(DiscoveryOutcome outcome) {
        discoveries.add(outcome);
        return this;
    }

    FakeKubeApi lists(ListOutcome outcome, KubeObject... objects) {
        answers.add(new Answer(outcome, List.of(objects)));
        return this;
    }

    /** Something that happens before a watch is answered. */
    FakeKubeApi beforeAnswer(Runnable event) {
        before = event;
        return this;
    }

    FakeKubeApi listsPage(long revision, @Nullable String token, KubeObject... objects) {
        return lists(new ListOutcome.Page(new Revision(Long.toString(revision)), token), objects);
    }

    FakeKubeApi answersWatch(WatchOutcome outcome) {
        streams.add(outcome);
        return this;
    }

    Stream streams(WatchFrame... frames) {
        Stream stream = new Stream(frames);
        streams.add(new WatchOutcome.Opened(stream));
        return stream;
    }

    @Override
    public ForwardOutcome forward(ForwardRequest request) {
        throw new AssertionError("a reflector forwards nothing");
    }

    @Override
    public VersionOutcome version() {
        return version;
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        return discoveries.remove();
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        lists.add(request);
        Answer answer = answers.remove();
        answer.objects().forEach(objects);
        return answer.outcome();
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        watches.add(request);
        before.run();
        return streams.remove();
    }

    /** A stream of prepared frames; asking for one more than there are is a mistake of the test. */
    static final class Stream implements WatchStream {

        private final Deque<WatchFrame> frames;
        boolean closed;

        Stream(WatchFrame... frames) {
            this.frames = new ArrayDeque<>(List.of(frames));
        }

        @Override
        public WatchFrame next() {
            return frames.remove();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
