package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;

/**
 * The requests that a {@link ScriptedApiServer} has received, in the order of their arrival.
 *
 * <p>The log has a reading position: {@link #next} returns what came after it, waiting if need be.
 * {@link #all} looks at the whole log without moving the position. Safe for any number of threads.
 */
public final class RequestLog {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final List<ReceivedRequest> requests = new ArrayList<>();
    private int position;

    void add(ReceivedRequest request) {
        lock.lock();
        try {
            requests.add(request);
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** All requests so far. */
    public List<ReceivedRequest> all() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** All requests so far that match. */
    public List<ReceivedRequest> all(Predicate<ReceivedRequest> matching) {
        return all().stream().filter(matching).toList();
    }

    /**
     * The next request after the reading position that matches, waiting generously; those before it
     * are skipped.
     *
     * @throws AssertionError if none comes
     */
    public ReceivedRequest next(Predicate<ReceivedRequest> matching) {
        ReceivedRequest request = poll(matching, WaitLimit.GENEROUS);
        if (request == null) {
            throw new AssertionError("the expected request did not come; all so far: " + paths());
        }
        return request;
    }

    /**
     * The next request after the reading position that matches, or null if none comes in time; with
     * {@link Duration#ZERO} it does not wait.
     */
    public @Nullable ReceivedRequest poll(Predicate<ReceivedRequest> matching, Duration limit) {
        AtomicReference<@Nullable ReceivedRequest> found = new AtomicReference<>();
        WaitLimit.await(
                lock,
                arrived,
                () -> {
                    found.set(advance(matching));
                    return found.get() != null;
                },
                limit);
        return found.get();
    }

    private @Nullable ReceivedRequest advance(Predicate<ReceivedRequest> matching) {
        while (position < requests.size()) {
            ReceivedRequest request = requests.get(position++);
            if (matching.test(request)) {
                return request;
            }
        }
        return null;
    }

    private List<String> paths() {
        return all().stream()
                .map(
                        request ->
                                request.method()
                                        + " "
                                        + request.path()
                                        + " "
                                        + request.query().all())
                .toList();
    }
}
