package io.kubemirror.app;

import module java.base;

/**
 * What words on the command line run instead of the server. Found by {@link
 * java.util.ServiceLoader}, without Spring, and only if there are such words.
 */
public interface CommandLineProgram {

    /**
     * Runs a command.
     *
     * @param words the arguments of the process
     * @return the exit code
     * @throws IOException if the health check of a container cannot be made
     */
    int run(List<String> words, PrintWriter out, PrintWriter err) throws IOException;
}
