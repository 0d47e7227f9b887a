package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** A server whose objects change at random, and a writer that may miss its changes. */
public final class RandomServer {

    private final Random random;
    private final MirrorWriter writer;
    private final int names;
    private final SortedMap<ObjectKey, KubeObject> truth = new TreeMap<>();
    private final NavigableMap<Long, SortedMap<ObjectKey, KubeObject>> states = new TreeMap<>();
    private long revision = 100;
    private int uids;
    private boolean connected = true;

    /** A history that fails with its seed. */
    @FunctionalInterface
    public interface SeededHistory {

        /** Runs the history of a seed. */
        void run(long seed) throws Exception;
    }

    /**
     * Creates a server without objects, with which the mirror is synchronized.
     *
     * @param names the number of names in each of two namespaces
     */
    public RandomServer(Random random, MirrorWriter writer, int names) {
        this.random = random;
        this.writer = writer;
        this.names = names;
        states.put(revision, new TreeMap<>());
        resynchronize();
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

    /** Returns whether the mirror gets the changes. */
    public boolean isConnected() {
        return connected;
    }

    /** Stops telling the mirror of changes. */
    public void disconnect() {
        connected = false;
    }

    /** Writes or deletes an object. */
    public void change() {
        ObjectKey key = new ObjectKey((random.nextBoolean() ? "a/" : "b/") + random.nextInt(names));
        KubeObject known = truth.get(key);
        revision += 1 + random.nextInt(3);
        if (known != null && random.nextInt(3) == 0) {
            truth.remove(key);
            states.put(revision, new TreeMap<>(truth));
            tell(() -> writer.delete(key, newest()));
            return;
        }
        String uid = known == null ? "uid" + uids++ : known.uid();
        Map<String, String> labels = Map.of("n", Integer.toString(random.nextInt(3)));
        KubeObject object = object(key.path(), uid, revision, labels);
        truth.put(key, object);
        states.put(revision, new TreeMap<>(truth));
        tell(() -> writer.upsert(object));
    }

    /** Moves the revision without a change. */
    public void bookmark() {
        revision += 1 + random.nextInt(3);
        tell(() -> writer.bookmark(newest()));
    }

    /** Loses the last revisions. */
    public void restoreBackup() {
        revision = Math.max(100, revision - random.nextInt(1, 6));
        SortedMap<ObjectKey, KubeObject> backup = new TreeMap<>(objectsAt(revision));
        states.tailMap(revision, false).clear();
        truth.clear();
        truth.putAll(backup);
        resynchronize();
    }

    /** Tells the mirror of the whole state, and of changes from now on. */
    public void resynchronize() {
        Resync resync = writer.resync();
        truth.values().forEach(resync::add);
        resync.complete(newest());
        connected = true;
    }

    private void tell(Runnable event) {
        if (connected) {
            event.run();
        }
    }

    private Revision newest() {
        return new Revision(Long.toString(revision));
    }
}
