package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.KubeObjects;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * What an API server knows of one resource, without requests: objects that change at random, all
 * that they have been, and how much of that it still remembers.
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

    /** Everything that has ever been; the last is what is going on now. */
    List<SimulatedHistory> timelines() {
        return timelines;
    }

    SimulatedHistory now() {
        return timelines.getLast();
    }

    /** Whether the server has the type at all. */
    boolean present() {
        return present;
    }

    ResourceType type() {
        return new ResourceType(
                "example.com",
                "v" + version,
                "Widget",
                "widgets",
                "widget",
                true,
                List.of(),
                List.of());
    }

    /** Whether nobody may start from a revision any more. */
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
        return new KubeObject(
                plain.key(),
                plain.uid(),
                plain.revision(),
                plain.labels(),
                Map.of("status.phase", phase),
                plain.json(),
                plain.metadata(),
                plain.version());
    }

    /** Other types change. */
    void elsewhere() {
        int gap = 1 + random.nextInt(6);
        if (now().revision() + gap < ceiling) {
            now().skip(gap);
        }
    }

    /** Forgets the past but for the last few revisions, or all of it. */
    void compact() {
        compacted = Math.max(compacted, now().revision() - random.nextInt(12));
    }

    /** The type goes with all its objects, as when its definition is deleted. */
    void uninstall() {
        for (KubeObject object : now().state().values()) {
            now().skip(1);
            now().append(object, null);
        }
        present = false;
    }

    /** The type comes, without objects. */
    void install() {
        present = true;
        now().skip(1);
    }

    /** The type is served in another version. */
    void upgrade() {
        version++;
    }

    /**
     * Goes back to the state of some time ago, as revisions are counted on from far above, which is
     * how backups should be restored.
     */
    void restoreAbove() {
        long present = now().revision() + 1_000;
        timelines.add(now().fork(somePastRevision(), present));
        compacted = present;
    }

    /**
     * Goes back to the state and to the revision of some time ago. Nobody could notice that once
     * the revisions have been given out again, so the server does not come that far until {@link
     * #noticed}.
     *
     * @param known the newest revision that anybody knows
     */
    void restore(long known) {
        long past = somePastRevision();
        timelines.add(now().fork(past, past));
        compacted = Math.min(compacted, past);
        ceiling = known > past ? known : Long.MAX_VALUE;
    }

    /** Whether a restoration has not been noticed yet. */
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
