package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/** An API server with prepared responses that records requests. */
final class FakeSource implements Source {

    final List<ListRequest> lists = new ArrayList<>();
    final List<WatchRequest> watches = new ArrayList<>();
    private final Deque<Result<TypeLookup>> discoveries = new ArrayDeque<>();
    private final Deque<FakeAnswer> answers = new ArrayDeque<>();
    private final Deque<Result<WatchStream>> streams = new ArrayDeque<>();

    BooleanSupplier accepting = () -> false;
    private Runnable before = () -> {};
    private Result<ResourceDefinition> definition = Result.of(ResourceDefinition.NONE);
    private Result<String> schema = Result.of("");
    private Runnable beforeList = () -> {};
    private @Nullable FakeStream lastStream;

    private record FakeAnswer(Result<ListMeta> outcome, List<KubeObject> objects) {}

    FakeSource discovers(Failure failure) {
        return discovers(Result.failed(failure));
    }

    FakeSource discovers(ResourceType type) {
        return discovers(Result.of(new TypeLookup.Found(type)));
    }

    FakeSource discovers(Result<TypeLookup> outcome) {
        discoveries.add(outcome);
        return this;
    }

    FakeSource defines(Failure failure) {
        return defines(Result.failed(failure));
    }

    FakeSource defines(SelectableField... fields) {
        return defines(Result.of(new ResourceDefinition(List.of(), List.of(fields), "")));
    }

    private FakeSource defines(Result<ResourceDefinition> outcome) {
        definition = outcome;
        return this;
    }

    FakeSource shows(Result<String> as) {
        schema = as;
        return this;
    }

    FakeSource lists(Failure failure, KubeObject... objects) {
        return lists(Result.failed(failure), objects);
    }

    FakeSource lists(Result<ListMeta> outcome, KubeObject... objects) {
        answers.add(new FakeAnswer(outcome, List.of(objects)));
        return this;
    }

    @Override
    public boolean acceptsConnections() {
        return accepting.getAsBoolean();
    }

    /** Something that happens before a watch is answered. */
    FakeSource beforeAnswer(Runnable event) {
        before = event;
        return this;
    }

    /** Something that happens before a list is answered. */
    FakeSource beforeList(Runnable event) {
        beforeList = event;
        return this;
    }

    FakeSource listsPage(long revision, @Nullable String token, KubeObject... objects) {
        return lists(
                Result.of(new ListMeta(new Revision(Long.toString(revision)), token)), objects);
    }

    FakeSource answersWatch(Failure failure) {
        return answersWatch(Result.failed(failure));
    }

    FakeSource answersWatches(int times, Failure failure) {
        for (int i = 0; i < times; i++) {
            answersWatch(failure);
        }
        return this;
    }

    FakeSource answersWatch(Result<WatchStream> outcome) {
        streams.add(outcome);
        return this;
    }

    FakeStream streams(WatchFrame... frames) {
        FakeStream stream = new FakeStream(frames);
        lastStream = stream;
        streams.add(Result.of(stream));
        return stream;
    }

    /** The stream that was prepared last. */
    FakeStream lastStream() {
        return Objects.requireNonNull(lastStream);
    }

    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        return definition;
    }

    @Override
    public Result<String> schema(ResourceCollection collection) {
        return schema;
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        return discoveries.remove();
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        lists.add(request);
        beforeList.run();
        FakeAnswer answer = answers.remove();
        answer.objects().forEach(objects);
        return answer.outcome();
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        watches.add(request);
        before.run();
        return streams.remove();
    }

    /**
     * A stream of prepared frames that breaks once it is closed. A test must not read more frames
     * than there are.
     */
    static final class FakeStream implements WatchStream {

        private final Deque<WatchFrame> frames;
        boolean closed;

        FakeStream(WatchFrame... frames) {
            this.frames = new ArrayDeque<>(List.of(frames));
        }

        @Override
        public WatchFrame next() {
            return frames.isEmpty() && closed
                    ? new WatchFrame.Broken("closed", BrokenKind.CUT)
                    : frames.remove();
        }

        void then(WatchFrame frame) {
            frames.add(frame);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** The revision that a frame brings, or zero. */
    static Revision revision(WatchFrame frame) {
        return switch (frame) {
            case WatchFrame.Added(var object, var _, var _) -> object.revision();
            case WatchFrame.Modified(var object, var _) -> object.revision();
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
}
