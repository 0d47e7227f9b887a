package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

/**
 * A server whose objects change at random, and writers that may miss the changes of their parts.
 */
public final class RandomServer {

    private final Random random;
    private final int names;
    private final List<ServerPart> parts = new ArrayList<>();
    private final SortedMap<ObjectKey, KubeObject> truth = new TreeMap<>();
    private final NavigableMap<Long, SortedMap<ObjectKey, KubeObject>> states = new TreeMap<>();
    private long revision = 100;
    private int uids;

    /** A history that fails with its seed. */
    @FunctionalInterface
    public interface SeededHistory {

        /** Runs the history of a seed. */
        void run(long seed) throws Exception;
    }

    /** Some namespaces, and the writer of their mirror. */
    private static final class ServerPart {

        private final List<String> namespaces;
        private final MirrorWriter writer;
        private boolean connected = true;

        ServerPart(List<String> namespaces, MirrorWriter writer) {
            this.namespaces = namespaces;
            this.writer = writer;
        }
    }

    /**
     * Creates a server without objects, with which the mirror is synchronized.
     *
     * @param names the number of names in each of two namespaces
     */
    public RandomServer(Random random, MirrorWriter writer, int names) {
        this(random, names);
        parts.add(new ServerPart(List.of("a", "b"), writer));
        resynchronize();
    }

    /** Creates a server with five names in each namespace, which has a mirror of its own. */
    public RandomServer(Random random, Map<String, MirrorWriter> namespaces) {
        this(random, 5);
        namespaces.forEach((name, writer) -> parts.add(new ServerPart(List.of(name), writer)));
        resynchronize();
    }

    private RandomServer(Random random, int names) {
        this.random = random;
        this.names = names;
        states.put(revision, new TreeMap<>());
    }

    /** Runs many histories, or the one that a property names, and names the seed of a failure. */
    public static void runAll(int histories, String property, SeededHistory history)
            throws Exception {
        Long only = Long.getLong(property);
        long first = only == null ? 0 : only;
        long last = only == null ? histories : only + 1;
        for (long seed = first; seed < last; seed++) {
            try {
                history.run(seed);
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("-D" + property + "=" + seed, failure);
            }
        }
    }

    /** Returns the objects of the server. */
    public SortedMap<ObjectKey, KubeObject> objects() {
        return truth;
    }

    /** Returns the objects at a revision. */
    public SortedMap<ObjectKey, KubeObject> objectsAt(long at) {
        return states.floorEntry(at).getValue();
    }

    /** Returns the newest revision. */
    public long revision() {
        return revision;
    }

    /** Returns whether all mirrors get the changes. */
    public boolean isConnected() {
        return parts.stream().allMatch(part -> part.connected);
    }

    private ServerPart anyPart() {
        return any(parts);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Stops telling a mirror of changes. */
    public void disconnect() {
        anyPart().connected = false;
    }

    /** Drops the content of a mirror. */
    public void drop() {
        ServerPart part = anyPart();
        part.writer.drop();
        part.connected = false;
    }

    /**
     * Writes or deletes an object, or deletes several at one revision, as an expired lease does.
     */
    public void change() {
        if (random.nextInt(10) == 0) {
            expire();
            return;
        }
        ServerPart part = anyPart();
        ObjectKey key = new ObjectKey(any(part.namespaces) + "/" + random.nextInt(names));
        KubeObject known = truth.get(key);
        revision += 1 + random.nextInt(3);
        if (known != null && random.nextInt(3) == 0) {
            truth.remove(key);
            states.put(revision, new TreeMap<>(truth));
            tell(part, () -> part.writer.delete(key, newest()));
            return;
        }
        String uid = known == null ? "uid" + uids++ : known.uid();
        Map<String, String> labels = Map.of("n", Integer.toString(random.nextInt(3)));
        KubeObject object = object(key.path(), uid, revision, labels);
        truth.put(key, object);
        states.put(revision, new TreeMap<>(truth));
        tell(part, () -> part.writer.upsert(object));
    }

    private void expire() {
        List<ObjectKey> expired =
                truth.keySet().stream().filter(_ -> random.nextInt(3) == 0).toList();
        revision += expired.isEmpty() ? 0 : 1 + random.nextInt(3);
        truth.keySet().removeAll(expired);
        states.put(revision, new TreeMap<>(truth));
        for (ServerPart part : parts) {
            expired.stream()
                    .filter(key -> part.namespaces.contains(key.namespace()))
                    .forEach(key -> tell(part, () -> part.writer.delete(key, newest())));
        }
    }

    /** Moves the revision without a change, and tells a mirror of it. */
    public void bookmark() {
        revision += 1 + random.nextInt(3);
        ServerPart part = anyPart();
        tell(part, () -> part.writer.bookmark(newest()));
    }

    /**
     * Loses the last revisions.
     *
     * @param noticed runs after each mirror has noticed it
     */
    public void restoreBackup(Runnable noticed) {
        revision = Math.max(100, revision - random.nextInt(1, 6));
        SortedMap<ObjectKey, KubeObject> backup = new TreeMap<>(objectsAt(revision));
        states.tailMap(revision, false).clear();
        truth.clear();
        truth.putAll(backup);
        for (ServerPart part : parts) {
            resynchronize(part);
            noticed.run();
        }
    }

    /** Tells all mirrors of the whole state, and of changes from now on. */
    public void resynchronize() {
        parts.forEach(this::resynchronize);
    }

    /** Does the same with one mirror. */
    public void resynchronizeAny() {
        resynchronize(anyPart());
    }

    private void resynchronize(ServerPart part) {
        Resync resync = part.writer.resync();
        truth.values().stream()
                .filter(object -> part.namespaces.contains(object.key().namespace()))
                .forEach(resync::add);
        resync.complete(newest());
        part.connected = true;
    }

    private static void tell(ServerPart part, Runnable event) {
        if (part.connected) {
            event.run();
        }
    }

    private Revision newest() {
        return new Revision(Long.toString(revision));
    }
}
