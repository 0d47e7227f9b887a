package io.kubemirror.feature.disk;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FileFailureTest {

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new NoSuchFileException("/x"), "no such file or directory"),
                Arguments.of(new AccessDeniedException("/x"), "permission denied"),
                Arguments.of(new FileAlreadyExistsException("/x"), "it exists and is no directory"),
                Arguments.of(new MalformedInputException(1), "it is no text"),
                Arguments.of(
                        new FileSystemException("/x", null, "Read-only file system"),
                        "Read-only file system"),
                Arguments.of(new IOException("another process uses it"), "another process uses it"),
                Arguments.of(new UnsupportedOperationException(), "it cannot be used"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void reason_names_no_class(Exception failure, String reason) {
        assertThat(FileFailure.reason(failure)).isEqualTo(reason);
    }
}
