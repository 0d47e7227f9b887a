package io.kubemirror.load;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

/**
 * Creates, changes, and deletes objects of several types at a rate, and tries again what fails.
 *
 * <p>Each change of an object has the number of the one before plus 1, and the time at which it was
 * sent. A change that was sent again after an error may be there twice, with one number.
 */
final class ObjectChurn implements AutoCloseable {

    /** The annotation with the number of a change of its object. */
    static final String NUMBER = "number";

    /** The annotation with the {@link System#nanoTime} at which a change was sent. */
    static final String AT = "at";

    static final String NAMESPACE = "soak";

    /** Of each type. */
    private static final int OBJECTS = 300;

    private static final int ONE_IN = 10;
    private static final int PADDING = 600;
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final RestClient client;
    private final List<Slot> slots = new ArrayList<>();
    private final Duration interval;
    private final Random random = new Random(1);
    private final ReentrantLock writing = new ReentrantLock(true);
    private final LongAdder writes = new LongAdder();
    private final Thread thread;
    private volatile boolean closing;

    /** An object that is there at times. */
    private static final class Slot {

        private final String collection;
        private final String name;
        private long number;
        private boolean exists;

        Slot(String resource, int index) {
            collection = "/api/v1/namespaces/" + NAMESPACE + "/" + resource;
            name = "n" + index;
        }

        String body() {
            String spec =
                    "{\"containers\": [{\"name\": \"main\", \"image\": \"example.com/main:1\"}]}";
            boolean isPod = collection.endsWith("/pods");
            return """
            {"metadata": {"name": "%s", "annotations":
              {"%s": "%d", "%s": "%d", "padding": "%s"}}%s}\
            """
                    .formatted(
                            name,
                            NUMBER,
                            number,
                            AT,
                            System.nanoTime(),
                            "x".repeat(PADDING),
                            isPod ? ", \"spec\": " + spec : "");
        }

        String change() {
            return "{\"metadata\": {\"annotations\": {\"%s\": \"%d\", \"%s\": \"%d\"}}}"
                    .formatted(NUMBER, number, AT, System.nanoTime());
        }
    }

    /**
     * Begins to write.
     *
     * @param client of the API server
     * @param resources of the core group
     * @param perSecond how many changes of all of them
     */
    ObjectChurn(RestClient client, List<String> resources, int perSecond) {
        this.client = client;
        interval = Duration.ofSeconds(1).dividedBy(perSecond);
        for (String resource : resources) {
            for (int i = 0; i < OBJECTS; i++) {
                slots.add(new Slot(resource, i));
            }
        }
        thread = Thread.ofPlatform().name("churn").start(this::run);
    }

    private void run() {
        while (!closing) {
            long next = System.nanoTime() + interval.toNanos();
            writing.lock();
            try {
                change(slots.get(random.nextInt(slots.size())));
            } finally {
                writing.unlock();
            }
            Pacer.until(next);
        }
    }

    private void change(Slot slot) {
        String object = slot.collection + "/" + slot.name;
        if (!slot.exists) {
            slot.number++;
            write(() -> client.send("POST", slot.collection, slot.body()), 409);
            slot.exists = true;
        } else if (random.nextInt(ONE_IN) == 0) {
            write(() -> client.send("DELETE", object + "?gracePeriodSeconds=0", null), 404);
            slot.exists = false;
        } else {
            slot.number++;
            write(() -> client.send("PATCH", object, slot.change()), 200);
        }
    }

    /** Tries until it is done, or was done by an attempt whose answer was lost. */
    private void write(Supplier<RestResponse> attempt, int done) {
        long end = System.nanoTime() + LIMIT.toNanos();
        int code = 0;
        while (!closing && code / 100 != 2 && code != done) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("no write within " + LIMIT + ": " + code);
            }
            try {
                code = attempt.get().code();
            } catch (UncheckedIOException away) {
                code = 0;
            }
            if (code / 100 != 2 && code != done) {
                Pacer.of(PAUSE);
            }
        }
        writes.increment();
    }

    /** Runs an action while nothing is written. */
    <T> T paused(Supplier<T> action) {
        writing.lock();
        try {
            if (!thread.isAlive()) {
                throw new IllegalStateException("the writer has ended");
            }
            return action.get();
        } finally {
            writing.unlock();
        }
    }

    long writes() {
        return writes.sum();
    }

    @Override
    public void close() {
        closing = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
