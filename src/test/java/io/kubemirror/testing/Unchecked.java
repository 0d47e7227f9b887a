package io.kubemirror.testing;

import module java.base;

import org.jspecify.annotations.Nullable;

/** Calls what declares checked exceptions, in places of tests that may declare none. */
public final class Unchecked {

    private Unchecked() {}

    /** An action that may fail. */
    @FunctionalInterface
    public interface Action {
        void run() throws Exception;
    }

    /**
     * Returns the result of a call.
     *
     * @throws UncheckedIOException if it throws an {@link IOException}
     * @throws AssertionError if it throws another checked exception
     */
    public static <T extends @Nullable Object> T call(Callable<T> call) {
        try {
            return call.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Runs an action, with the exceptions of {@link #call}. */
    public static void run(Action action) {
        var _ =
                call(
                        () -> {
                            action.run();
                            return true;
                        });
    }
}
