package io.kubemirror.feature.files;

import module java.base;

import io.kubemirror.feature.files.ManifestReader.ObjectId;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken;
import io.kubemirror.source.WatchStream;

import org.slf4j.LoggerFactory;

/**
 * The objects of the files in a directory, as an API server would serve them. Those who read look
 * for changes. Each change of an object has a revision of its own. Revisions begin at the time of
 * the start in milliseconds, so that those of a later process are higher.
 */
final class FilesSource implements Source {

    private static final Status EXPIRED =
            new Status(410, "Expired", "too old resource version", null);

    private final Path directory;
    private final long maxBytes;
    private final MemoryBudget incoming;

    /** What is wrong with the files, so that it is logged once. Used by the thread that scans. */
    private String mistake = "";

    /** Written by the thread that scans; read by any thread. */
    private volatile Content content;

    /**
     * Reads the directory.
     *
     * @param maxBytes the maximum size of all files together
     */
    FilesSource(Path directory, long maxBytes, MemoryBudget incoming, InstantSource clock) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.incoming = incoming;
        Revision start = new Revision(Long.toString(clock.millis()));
        content = new Content(Map.of(), Map.of(), List.of(), start, start);
        Content read = scanned();
        content =
                new Content(
                        read.files(), read.objects(), List.of(), read.revision(), read.revision());
    }

    /**
     * What has been read. Immutable.
     *
     * @param files the digests of all files
     * @param changes what the last scan that found any has found, in order
     * @param floor the revision before these
     */
    private record Content(
            Map<Path, UUID> files,
            Map<ObjectId, FileObject> objects,
            List<FileObject> changes,
            Revision floor,
            Revision revision) {

        Content with(Map<Path, UUID> read, Map<ObjectId, String> present) {
            List<FileObject> log = new ArrayList<>();
            Revision reached = revision;
            for (FileObject old : objects.values()) {
                if (!present.containsKey(old.id())) {
                    reached = reached.next();
                    log.add(new FileObject(old.id(), old.json(), /* present= */ false, reached));
                }
            }
            Map<ObjectId, FileObject> all = new LinkedHashMap<>();
            for (Map.Entry<ObjectId, String> one : present.entrySet()) {
                FileObject object = objects.get(one.getKey());
                if (object == null || !object.json().equals(one.getValue())) {
                    reached = reached.next();
                    object = new FileObject(one.getKey(), one.getValue(), true, reached);
                    log.add(object);
                }
                all.put(one.getKey(), object);
            }
            return log.isEmpty()
                    ? new Content(read, all, changes, floor, revision)
                    : new Content(read, all, List.copyOf(log), revision, reached);
        }
    }

    /**
     * The state of an object since a revision.
     *
     * @param present false for the last state of a deleted one
     */
    private record FileObject(ObjectId id, String json, boolean present, Revision revision) {

        /** Returns the object, none if it cannot be read, or is not of the type. */
        Stream<KubeObject> read(ResourceCollection collection, DocumentReader reader) {
            byte[] document = json.getBytes(StandardCharsets.UTF_8);
            return id.type().equals(collection.type())
                            && reader.read(document, revision) instanceof ReadResult.Whole(var read)
                    ? Stream.of(read)
                    : Stream.empty();
        }
    }

    /** Returns what the files hold. A mistake in a file keeps all objects as they are. */
    private synchronized Content scanned() {
        try (Stream<Path> paths = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
            Map<Path, byte[]> read = new LinkedHashMap<>();
            long left = maxBytes;
            for (Path file : paths.filter(this::isRead).sorted().toList()) {
                left -= Files.size(file);
                // An editor that saves a file in place empties it first.
                if (left < 0 || Files.size(file) == 0) {
                    String why =
                            left < 0
                                    ? "the files have more than " + maxBytes + " bytes"
                                    : "it is empty";
                    throw new IllegalArgumentException(file + ": " + why);
                }
                read.put(file, Files.readAllBytes(file));
            }
            Map<Path, UUID> files = new LinkedHashMap<>();
            read.forEach((file, bytes) -> files.put(file, UUID.nameUUIDFromBytes(bytes)));
            if (!files.equals(content.files())) {
                Map<ObjectId, String> present = new LinkedHashMap<>();
                read.forEach((file, bytes) -> present.putAll(ManifestReader.read(file, bytes)));
                content = content.with(files, present);
            }
            mistake = "";
        } catch (IOException | RuntimeException e) {
            String problem = e.getMessage() + (e instanceof IOException ? ": cannot be read" : "");
            if (!mistake.equals(problem)) {
                mistake = problem;
                LoggerFactory.getLogger(FilesSource.class)
                        .warn("{}; correct it, until then all objects stay as they are", problem);
            }
        }
        return content;
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
        Content now = scanned();
        return Result.of(
                Stream.concat(now.objects().values().stream(), now.changes().stream())
                        .map(one -> one.id().type())
                        .distinct()
                        .map(TypeLookup.Found::new)
                        .toList());
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        Content now = scanned();
        Revision wanted = request.revision();
        boolean exact = request.match() == ListRequest.RevisionMatch.EXACT;
        if (wanted != null
                && (exact ? !wanted.equals(now.revision()) : wanted.isAfter(now.revision()))) {
            return Result.failed(Failure.Refused.of(exact ? 410 : 504, "not there at present"));
        }
        DocumentReader reader = DocumentReader.selecting(request.collection());
        now.objects().values().stream()
                .flatMap(one -> one.read(request.collection(), reader))
                .filter(request.collection().selection()::matches)
                .forEach(objects);
        return Result.of(new ListMeta(now.revision(), null, null));
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        Revision from = request.revision();
        if (request.initialEvents() || from == null) {
            return Result.failed(
                    Failure.Refused.of(422, "sendInitialEvents: Forbidden: files have none"));
        }
        return from.isBefore(content.floor())
                ? Result.failed(new Failure.Refused(EXPIRED))
                : Result.of(
                        QueuedWatch.of(
                                request, new FilesWatch(request.collection(), from), incoming));
    }

    /** A watch that looks for changes once a second, without an end of its own. */
    private final class FilesWatch implements WatchStream {

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
            try {
                while (ready.isEmpty()) {
                    if (closed.await(idle ? 1_000 : 1, TimeUnit.MILLISECONDS)) {
                        return new Broken("closed", Broken.BrokenKind.CUT);
                    }
                    look();
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return new Broken("interrupted", Broken.BrokenKind.CUT);
            }
            return ready.remove();
        }

        /** The mirror knows whether an object is new to it, or none of its own. */
        private void look() {
            Content now = scanned();
            if (reached.isBefore(now.floor())) {
                ready.add(new WatchFrame.Failed(EXPIRED));
                return;
            }
            now.changes().stream()
                    .filter(change -> change.revision().isAfter(reached))
                    .forEach(
                            change ->
                                    change.read(collection, reader)
                                            .map(object -> frame(change, object))
                                            .forEach(ready::add));
            idle = reached.equals(now.revision());
            reached = now.revision();
            ready.add(new WatchFrame.Bookmark(reached, /* initialEventsEnd= */ false));
        }

        private WatchFrame frame(FileObject change, KubeObject object) {
            return change.present() && collection.selection().matches(object)
                    ? new WatchFrame.Modified(object)
                    : new WatchFrame.Deleted(object);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
