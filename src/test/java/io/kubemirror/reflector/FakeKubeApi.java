package io.kubemirror.reflector;

import io.kubemirror.kube.AccessOutcome;
import io.kubemirror.kube.ColumnsOutcome;
import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.ForwardOutcome;
import io.kubemirror.kube.ForwardRequest;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.ReadAhead;
import io.kubemirror.kube.ReadAheadWatch;
import io.kubemirror.kube.VersionOutcome;
import io.kubemirror.kube.WatchConnection;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchFrame.Broken.Kind;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** An API server that answers as it was told beforehand and remembers what it was asked. */
final class FakeKubeApi implements KubeApi {

    final List<ListRequest> lists = new ArrayList<>();
    final List<WatchRequest> watches = new ArrayList<>();
    private final Deque<DiscoveryOutcome> discoveries = new ArrayDeque<>();
    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Deque<WatchOutcome> streams = new ArrayDeque<>();

    private Runnable before = () -> {};
    private ColumnsOutcome definition = new ColumnsOutcome.Declared(List.of());
    private VersionOutcome version = new VersionOutcome.Known("v1.36.0", "{}");
    private Runnable beforeList = () -> {};

    private record Answer(ListOutcome outcome, List<KubeObject> objects) {}

    FakeKubeApi discovers(DiscoveryOutcome outcome) {
        discoveries.add(outcome);
        return this;
    }

    FakeKubeApi defines(ColumnsOutcome outcome) {
        definition = outcome;
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

    /** Something that happens before a list is answered. */
    FakeKubeApi beforeList(Runnable event) {
        beforeList = event;
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

    FakeKubeApi hasVersion(String gitVersion) {
        version = new VersionOutcome.Known(gitVersion, "{}");
        return this;
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
    public AccessOutcome access(Permission permission) {
        throw new AssertionError("a reflector tries instead of asking");
    }

    @Override
    public ColumnsOutcome columns(ResourceType type) {
        return definition;
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        return discoveries.remove();
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        lists.add(request);
        beforeList.run();
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

    /**
     * A stream of prepared frames that breaks once it is closed; asking for one more than there are
     * is a mistake of the test.
     */
    static final class Stream implements WatchConnection {

        private final Deque<WatchFrame> frames;
        boolean closed;
        private boolean late;

        Stream(WatchFrame... frames) {
            this.frames = new ArrayDeque<>(List.of(frames));
        }

        @Override
        public WatchFrame next() {
            return frames.isEmpty() && closed
                    ? new WatchFrame.Broken("closed", Kind.CUT)
                    : frames.remove();
        }

        void then(WatchFrame frame) {
            frames.add(frame);
        }

        @Override
        public void close() {
            closed = true;
        }

        /** The end of the stream comes only when it is asked for. */
        Stream endingLate() {
            late = true;
            return this;
        }

        @Override
        public ReadAheadWatch ahead(ReadAhead bound) {
            return new AheadStream(this);
        }
    }

    /** Prepared frames that have all arrived already. */
    private static final class AheadStream implements ReadAheadWatch {

        private final Stream source;
        private final Deque<WatchFrame> frames;
        private Revision newest = Revision.ZERO;

        AheadStream(Stream source) {
            this.source = source;
            frames = source.frames;
            frames.forEach(frame -> newest = Revision.later(newest, revision(frame)));
        }

        private static Revision revision(WatchFrame frame) {
            return switch (frame) {
                case WatchFrame.Added(var object, var _) -> object.revision();
                case WatchFrame.Modified(var object) -> object.revision();
                case WatchFrame.Deleted(var object) -> object.revision();
                case WatchFrame.Bookmark(var revision, var _) -> revision;
                case WatchFrame.Foreign _,
                        WatchFrame.Ended _,
                        WatchFrame.Broken _,
                        WatchFrame.Failed _,
                        WatchFrame.Untrackable _ ->
                        Revision.ZERO;
            };
        }

        @Override
        public Optional<WatchFrame> ending() {
            return frames.stream()
                    .filter(frame -> revision(frame).isZero() && !source.late)
                    .findFirst();
        }

        @Override
        public Revision newest() {
            return newest;
        }

        @Override
        public ReadAhead left() {
            return ReadAhead.usual();
        }

        @Override
        public WatchFrame next() {
            return frames.remove();
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
