package io.kubemirror.source;

import module java.base;

/**
 * The result of a request to the API server: a value, or the reason why there is none.
 *
 * @param <T> the type of the value
 */
public sealed interface Result<T> {

    /** The request succeeded. */
    record Success<T>(T value) implements Result<T> {}

    /** The request failed. */
    record Failed<T>(Failure failure) implements Result<T> {}

    /** Returns the result of a request that succeeded. */
    static <T> Result<T> of(T value) {
        return new Success<>(value);
    }

    /** Returns the result of a request that failed. */
    static <T> Result<T> failed(Failure failure) {
        return new Failed<>(failure);
    }

    /** Returns what follows from the value, or the failure. */
    default <U> Result<U> then(Function<T, Result<U>> next) {
        return switch (this) {
            case Success(var value) -> next.apply(value);
            case Failed(var failure) -> failed(failure);
        };
    }
}
