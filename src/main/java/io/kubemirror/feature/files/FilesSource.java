package io.kubemirror.feature.files;

import module java.base;

import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.FindingSource;
import io.kubemirror.feature.files.ManifestReader.ObjectId;
import io.kubemirror.kube.json.DocumentReader;
import io.kubemirror.kube.json.ObjectReader.ReadResult;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
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
import io.kubemirror.source.WatchStream;

import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The objects of the files in a directory, as an API server would serve them. Those who read look
 * for changes. An object that changes has a revision of its own. Revisions begin at the time of the
 * start in milliseconds, so that those of a later process are higher.
 */
final class FilesSource implements Source, FindingSource {

    private final Path directory;
    private final long maxBytes;
    private final MemoryBudget incoming;

    /** What is wrong with the files. Written by the thread that scans; read by any thread. */
    private volatile String mistake = "";

    /** Written by the thread that scans; read by any thread. */
    private volatile Content content;

    /**
     * Reads the directory.
     *
     * @param maxBytes the maximum size of all files together
     * @throws InvalidConfigurationPropertyValueException if a file cannot be read, or is malformed
     */
    FilesSource(Path directory, long maxBytes, MemoryBudget incoming, InstantSource clock) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.incoming = incoming;
        content = new Content(Map.of(), Map.of(), new Revision(Long.toString(clock.millis())));
        String problem = scan();
        MirrorProperties.refuse(!problem.isEmpty(), "kubemirror.upstream.files.directory", problem);
    }

    /**
     * What has been read. Immutable.
     *
     * @param files the digests of all files
     */
    private record Content(
            Map<Path, UUID> files, Map<ObjectId, FileObject> objects, Revision revision) {

        /** No object has the first revision of what has changed; it is that of deletions. */
        Content with(Map<Path, UUID> read, Map<ObjectId, String> present) {
            Revision reached = revision.next();
            boolean changed = !present.keySet().containsAll(objects.keySet());
            Map<ObjectId, FileObject> all = new LinkedHashMap<>();
            for (Map.Entry<ObjectId, String> one : present.entrySet()) {
                FileObject object = objects.get(one.getKey());
                if (object == null || !object.json().equals(one.getValue())) {
                    reached = reached.next();
                    object = new FileObject(one.getKey(), one.getValue(), reached);
                    changed = true;
                }
                all.put(one.getKey(), object);
            }
            return new Content(read, all, changed ? reached : revision);
        }
    }

    /** An object since a revision. */
    private record FileObject(ObjectId id, String json, Revision revision) {

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
        String problem = scan();
        boolean known = problem.isEmpty() || problem.equals(mistake);
        mistake = problem;
        if (!known) {
            LoggerFactory.getLogger(FilesSource.class)
                    .warn("{}, until then all objects stay as they are", problem);
        }
        return content;
    }

    /** Reads the directory, and returns what is wrong with it and the remedy. */
    private String scan() {
        if (!Files.isDirectory(directory)) {
            return directory + " is no directory; create it, or correct the path";
        }
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
            return "";
        } catch (IOException | UncheckedIOException e) {
            return "cannot read " + e.getMessage() + "; let the user of kubemirror read it";
        } catch (RuntimeException e) {
            return e.getMessage() + "; correct it";
        }
    }

    @Override
    public List<Finding> findings() {
        return Finding.warning(Finding.Kind.CONFIGURATION, mistake);
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
        return Result.of(
                scanned().objects().keySet().stream()
                        .map(ObjectId::type)
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
        DocumentReader reader = new DocumentReader(request.collection());
        now.objects().values().stream()
                .flatMap(one -> one.read(request.collection(), reader))
                .filter(request.collection().selection()::matches)
                .forEach(objects);
        return Result.of(new ListMeta(now.revision(), null));
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        Revision from = request.revision();
        if (request.initialEvents() || from == null) {
            return Result.failed(
                    Failure.Refused.of(422, "sendInitialEvents: Forbidden: files have none"));
        }
        Content seen = content;
        return from.equals(seen.revision())
                ? Result.of(
                        QueuedWatch.of(
                                request, new FilesWatch(request.collection(), seen), incoming))
                : Result.failed(Failure.Refused.of(410, "not there at present"));
    }

    /** A watch that looks for changes once a second, without an end of its own. */
    private final class FilesWatch implements WatchStream {

        private final ResourceCollection collection;
        private final DocumentReader reader;

        /** Used by the thread that reads the watch, as the field below it is. */
        private final Queue<WatchFrame> ready = new ArrayDeque<>();

        private Content seen;

        private final CountDownLatch closed = new CountDownLatch(1);

        FilesWatch(ResourceCollection collection, Content seen) {
            this.collection = collection;
            this.reader = new DocumentReader(collection);
            this.seen = seen;
        }

        @Override
        public WatchFrame next() {
            try {
                while (ready.isEmpty()) {
                    if (closed.await(1, TimeUnit.SECONDS)) {
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
            Revision gone = seen.revision().next();
            seen.objects().values().stream()
                    .filter(old -> !now.objects().containsKey(old.id()))
                    .flatMap(
                            old ->
                                    new FileObject(old.id(), old.json(), gone)
                                            .read(collection, reader))
                    .map(WatchFrame.Deleted::new)
                    .forEach(ready::add);
            now.objects().values().stream()
                    .filter(object -> object.revision().isAfter(seen.revision()))
                    .sorted(Comparator.comparing(FileObject::revision))
                    .flatMap(object -> object.read(collection, reader))
                    .map(this::frame)
                    .forEach(ready::add);
            seen = now;
            ready.add(new WatchFrame.Bookmark(now.revision(), /* initialEventsEnd= */ false));
        }

        private WatchFrame frame(KubeObject object) {
            return collection.selection().matches(object)
                    ? new WatchFrame.Modified(object, null)
                    : new WatchFrame.Deleted(object);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
