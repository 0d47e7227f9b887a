package io.kubemirror.feature.files;

import module java.base;

import io.kubemirror.app.config.FileFailure;
import io.kubemirror.feature.files.ManifestReader.ObjectId;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.slf4j.LoggerFactory;

/**
 * The objects of the files in a directory, as an API server would serve them. Those who read look
 * for changes. Each change of an object has a revision of its own. Revisions begin at the time of
 * the start in milliseconds, so that those of a later process are higher.
 */
final class FilesSource implements Source {

    private final Path directory;
    private final MemoryBudget incoming;
    private final Revision first;

    /** Held by the thread that reads the files, for which no other thread waits. */
    private final ReentrantLock reading = new ReentrantLock();

    /** What is wrong with the files, so that it is logged once. Used by that thread. */
    private String mistake = "";

    /** Written by the thread that reads the files; read by any thread. */
    private volatile Content content;

    /** Reads the directory. */
    FilesSource(Path directory, MemoryBudget incoming, InstantSource clock) {
        this.directory = directory;
        this.incoming = incoming;
        this.content = new Content(Map.of(), Map.of(), new Revision(Long.toString(clock.millis())));
        this.first = scanned().revision();
    }

    /**
     * What has been read. Immutable.
     *
     * @param files the texts of all files
     * @param objects all objects that there have been, deleted ones included, with the revisions of
     *     their last changes
     */
    private record Content(
            Map<Path, String> files, Map<ObjectId, FileObject> objects, Revision revision) {

        Content with(Map<Path, String> next) {
            Map<ObjectId, String> present = new LinkedHashMap<>();
            next.forEach((file, text) -> present.putAll(ManifestReader.read(file, text)));
            Map<ObjectId, FileObject> all = new LinkedHashMap<>(objects);
            Revision reached = revision;
            Set<ObjectId> ids = new LinkedHashSet<>(objects.keySet());
            ids.addAll(present.keySet());
            for (ObjectId id : ids) {
                FileObject old = objects.getOrDefault(id, new FileObject(id, "", false, revision));
                String json = present.getOrDefault(id, old.json());
                boolean exists = present.containsKey(id);
                if (exists != old.present() || !json.equals(old.json())) {
                    reached = reached.next();
                    all.put(id, new FileObject(id, json, exists, reached));
                }
            }
            return new Content(next, all, reached);
        }
    }

    /**
     * The state of an object since a revision.
     *
     * @param present false for the last state of a deleted one
     */
    record FileObject(ObjectId id, String json, boolean present, Revision revision) {

        boolean isOf(ResourceCollection collection) {
            return id.type().equals(collection.type());
        }

        /** Returns the object, none if it cannot be read. */
        Stream<KubeObject> read(DocumentReader reader) {
            byte[] document = json.getBytes(StandardCharsets.UTF_8);
            return reader.read(document, revision) instanceof ReadResult.Whole(var object)
                    ? Stream.of(object)
                    : Stream.empty();
        }
    }

    /** Returns what the files hold; what it was before, while another thread reads them. */
    private Content scanned() {
        if (reading.tryLock()) {
            try {
                scan();
            } finally {
                reading.unlock();
            }
        }
        return content;
    }

    /** Takes over what has changed. A mistake in a file keeps all objects as they are. */
    private void scan() {
        try (Stream<Path> paths = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
            Map<Path, String> files = new LinkedHashMap<>();
            paths.filter(this::isRead).sorted().forEach(file -> files.put(file, text(file)));
            if (!files.equals(content.files())) {
                content = content.with(files);
            }
            mistake = "";
        } catch (IOException | RuntimeException e) {
            report(String.valueOf(e.getMessage()));
        }
    }

    private static String text(Path file) {
        try {
            String text = Files.readString(file);
            if (text.isEmpty()) {
                // An editor that saves a file in place empties it first.
                throw new IllegalArgumentException(file + ": it is empty");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(file + ": " + FileFailure.reason(e), e);
        }
    }

    private void report(String problem) {
        if (!problem.equals(mistake)) {
            mistake = problem;
            LoggerFactory.getLogger(FilesSource.class)
                    .warn("{}; correct it, until then all objects stay as they are", problem);
        }
    }

    /**
     * A mounted ConfigMap has its files once more in a hidden directory. A link to nowhere is read,
     * which is a mistake.
     */
    private boolean isRead(Path path) {
        String name = directory.relativize(path).toString();
        return name.matches("(?i)(?!\\.|.*/\\.).+\\.(ya?ml|json)")
                && (Files.isRegularFile(path) || !Files.exists(path));
    }

    @Override
    public SourceDescription description() {
        String text = "directory " + directory.toAbsolutePath();
        return new SourceDescription(text, text, "kubemirror.upstream.files");
    }

    @Override
    public Result<List<TypeLookup.Found>> types() {
        Stream<ResourceType> types =
                scanned().objects().keySet().stream().map(ObjectId::type).distinct();
        return Result.of(types.map(TypeLookup.Found::new).toList());
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        Content now = scanned();
        Revision revision = now.revision();
        Revision wanted = request.revision();
        boolean exact = request.match() == ListRequest.RevisionMatch.EXACT;
        if (wanted != null && (exact ? !wanted.equals(revision) : wanted.isAfter(revision))) {
            return refused(exact ? 410 : 504, "not there at present");
        }
        DocumentReader reader = DocumentReader.selecting(request.collection());
        now.objects().values().stream()
                .filter(one -> one.present() && one.isOf(request.collection()))
                .flatMap(one -> one.read(reader))
                .filter(request.collection().selection()::matches)
                .forEach(objects);
        return Result.of(new ListMeta(revision, null, null));
    }

    private static <T> Result<T> refused(int code, String message) {
        return Result.failed(Failure.Refused.of(code, message));
    }

    @Override
    public Result<UpstreamWatch> watch(WatchRequest request) {
        Revision from = request.revision();
        if (request.initialEvents() || from == null) {
            return refused(422, "sendInitialEvents: Forbidden: files have none");
        }
        return from.isBefore(first)
                ? refused(410, "too old resource version")
                : Result.of(new FilesWatch(request.collection(), from));
    }

    /** Returns the last changes of the objects that have changed after a revision, in order. */
    private List<FileObject> after(Revision reached) {
        return scanned().objects().values().stream()
                .filter(one -> one.revision().isAfter(reached))
                .sorted(Comparator.comparing(FileObject::revision))
                .toList();
    }

    /** A watch that looks for changes once a second, without an end of its own. */
    private final class FilesWatch implements UpstreamWatch {

        private final ResourceCollection collection;
        private final DocumentReader reader;

        /** Used by the thread that reads the watch, as the two fields below it are. */
        private final Queue<WatchFrame> ready = new ArrayDeque<>();

        private Revision reached;
        private boolean idle;

        private final CountDownLatch closed = new CountDownLatch(1);

        FilesWatch(ResourceCollection collection, Revision reached) {
            this.collection = collection;
            this.reader = DocumentReader.selecting(collection);
            this.reached = reached;
        }

        @Override
        public WatchFrame next() {
            while (ready.isEmpty() && !isClosedWithin(idle ? 1_000 : 1)) {
                look();
            }
            return isClosedWithin(0) ? new Broken("closed", Broken.BrokenKind.CUT) : ready.remove();
        }

        private boolean isClosedWithin(long millis) {
            try {
                return closed.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                closed.countDown();
                return true;
            }
        }

        /** The mirror knows whether an object is new to it, or none of its own. */
        private void look() {
            List<FileObject> changed = after(reached);
            for (FileObject one : changed.stream().filter(one -> one.isOf(collection)).toList()) {
                one.read(reader)
                        .map(
                                object ->
                                        one.present() && collection.selection().matches(object)
                                                ? new WatchFrame.Modified(object)
                                                : new WatchFrame.Deleted(object))
                        .forEach(ready::add);
            }
            idle = changed.isEmpty();
            reached = idle ? reached : changed.getLast().revision();
            ready.add(new WatchFrame.Bookmark(reached, /* initialEventsEnd= */ false));
        }

        @Override
        public ReadAheadWatch ahead(ReadAheadLimits bound) {
            return QueuedWatch.of(this, bound, incoming);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
