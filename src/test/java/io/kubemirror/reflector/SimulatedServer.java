package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.scripted.ServedTypes;

import org.jspecify.annotations.Nullable;

/**
 * The state of a simulated API server for one resource: objects that change at random, their
 * complete history, and how much of it the server can still serve.
 */
final class SimulatedServer {

    private static final List<String> NAMESPACES = List.of("a/", "a-b/", "b/");
    private static final List<String> APPS = List.of("v", "v", "w", "");
    private static final int NAMES = 5;

    private final RandomGenerator random;
    private final List<SimulatedHistory> timelines =
            new ArrayList<>(List.of(SimulatedHistory.from(100)));
    private long compacted = 90;
    private long ceiling = Long.MAX_VALUE;
    private boolean present = true;
    private int version = 1;
    private int writes;

    SimulatedServer(RandomGenerator random) {
        this.random = random;
    }

    /** Returns all timelines; the last is the current one. */
    List<SimulatedHistory> timelines() {
        return timelines;
    }

    SimulatedHistory now() {
        return timelines.getLast();
    }

    Revision revision() {
        return new Revision(Long.toString(now().revision()));
    }

    /** Whether the server has the type at all. */
    boolean present() {
        return present;
    }

    ResourceType type() {
        return ServedTypes.widgets("v" + version);
    }

    /** Whether a revision is older than the history. */
    boolean forgot(long revision) {
        return revision < compacted;
    }

    /** Creates, changes, replaces or deletes an object. */
    void write() {
        int gap = 1 + (random.nextInt(3) == 0 ? random.nextInt(3) : 0);
        if (!present || now().revision() + gap + 1 >= ceiling) {
            return;
        }
        ObjectKey key = randomKey();
        KubeObject known = now().state().get(key);
        now().skip(gap);
        if (known == null || random.nextInt(4) > 0) {
            now().append(known, object(key, known));
            return;
        }
        now().append(known, null);
        if (random.nextInt(3) == 0) {
            now().skip(1);
            now().append(null, object(key, null));
        }
    }

    private ObjectKey randomKey() {
        String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
        return new ObjectKey(namespace + random.nextInt(NAMES));
    }

    /** The content of every write is unique, so that no two states can be mistaken. */
    private KubeObject object(ObjectKey key, @Nullable KubeObject known) {
        writes++;
        Map<String, String> labels = new TreeMap<>(Map.of("write", "w" + writes));
        String app = APPS.get(random.nextInt(APPS.size()));
        if (!app.isEmpty()) {
            labels.put("app", app);
        }
        String uid = known == null ? "uid" + writes : known.uid();
        KubeObject plain = KubeObjects.object(key.path(), uid, now().revision(), labels);
        String phase = random.nextInt(3) == 0 ? "Failed" : "Running";
        return plain.with(labels, Map.of("status.phase", phase));
    }

    /** Other types change. */
    void elsewhere() {
        int gap = 1 + random.nextInt(6);
        if (now().revision() + gap < ceiling) {
            now().skip(gap);
        }
    }

    /** Compacts the history to the last few revisions, or to none. */
    void compact() {
        compacted = Math.max(compacted, now().revision() - random.nextInt(12));
    }

    /** Removes the type with all its objects, as when its definition is deleted. */
    void uninstall() {
        for (KubeObject object : now().state().values()) {
            now().skip(1);
            now().append(object, null);
        }
        present = false;
    }

    /** Adds the type without objects. */
    void install() {
        present = true;
        now().skip(1);
    }

    /** The type is served in another version. */
    void upgrade() {
        version++;
    }

    /**
     * Restores an earlier state and continues from a much higher revision, as backups should be
     * restored.
     */
    void restoreAbove() {
        long present = now().revision() + 1_000;
        timelines.add(now().fork(somePastRevision(), present));
        compacted = present;
    }

    /**
     * Restores an earlier state with its revision. Once revisions have been reused, this could not
     * be detected, so the server does not get that far before {@link #noticed}.
     *
     * @param known the newest revision that anybody knows
     */
    void restore(long known) {
        long past = somePastRevision();
        timelines.add(now().fork(past, past));
        compacted = Math.min(compacted, past);
        ceiling = known > past ? known : Long.MAX_VALUE;
    }

    /** Whether a restored backup has not been noticed yet. */
    boolean isUnnoticed() {
        return ceiling != Long.MAX_VALUE;
    }

    void noticed() {
        ceiling = Long.MAX_VALUE;
    }

    private long somePastRevision() {
        return Math.max(100, now().revision() - 1 - random.nextInt(30));
    }
}
