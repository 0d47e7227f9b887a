package io.kubemirror.load;

/**
 * One of the two servers that are compared.
 *
 * @param name what tables call it
 * @param port where it listens on the loopback address
 * @param pid its process
 */
record MeasuredServer(String name, int port, long pid) {

    /** What its process has used until now. */
    ProcessUsage usage() {
        return ProcessUsage.of(pid);
    }
}
