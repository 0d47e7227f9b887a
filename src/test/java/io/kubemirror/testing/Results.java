package io.kubemirror.testing;

import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

/** Unwraps results in tests. */
public final class Results {

    private Results() {}

    /** Returns the value, or fails the test. */
    public static <T> T value(Result<T> result) {
        return switch (result) {
            case Result.Success(var value) -> value;
            case Result.Failed(var failure) -> throw new AssertionError(failure.toString());
        };
    }

    /** Returns the failure, or fails the test. */
    public static Failure failure(Result<?> result) {
        return switch (result) {
            case Result.Success(var value) -> throw new AssertionError(String.valueOf(value));
            case Result.Failed(var failure) -> failure;
        };
    }
}
