package io.kubemirror.feature.disk;

import module java.base;

/**
 * Says why a file cannot be used in the words of the system, which the JDK replaces with classes.
 */
final class FileFailure {

    private FileFailure() {}

    /** Returns the reason, without the name of the file. */
    static String reason(Exception failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "it exists and is no directory";
            case CharacterCodingException _ -> "it is no text";
            case FileSystemException error when error.getReason() != null -> error.getReason();
            default -> Objects.requireNonNullElse(failure.getMessage(), "it cannot be used");
        };
    }
}
