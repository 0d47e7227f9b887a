package io.kubemirror.kube.json;

import module java.base;

import okhttp3.Call;
import okhttp3.Response;

import okio.AsyncTimeout;
import okio.Timeout;

/**
 * The timeout within which a response must begin, independent of pauses in its body.
 *
 * <p>A read timeout cannot distinguish the two: a watch may be quiet for ten minutes, but a server
 * that accepts a connection and never responds is not a watch.
 */
public final class ResponseTimeout extends AsyncTimeout {

    private final Call call;

    /**
     * Creates a timeout for one call.
     *
     * @param limit how long to wait for the head of the response
     */
    public ResponseTimeout(Call call, Duration limit) {
        this.call = call;
        timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Sends the request and waits for the head of the response. Each read of its body has the same
     * time, which the reader may change, and the body of an error has it as a whole.
     *
     * @throws SocketTimeoutException if the head does not arrive in time
     * @throws IOException if the call fails otherwise
     */
    public Response execute() throws IOException {
        Response response;
        enter();
        try {
            response = call.execute();
        } catch (IOException | RuntimeException e) {
            if (exit()) {
                throw late();
            }
            throw e;
        }
        if (exit()) {
            response.close();
            throw late();
        }
        Timeout body = response.body().source().timeout();
        body.timeout(timeoutNanos(), TimeUnit.NANOSECONDS);
        if (!response.isSuccessful()) {
            // The body of an error must arrive in time too, however often a byte of it comes.
            body.deadline(timeoutNanos(), TimeUnit.NANOSECONDS);
        }
        return response;
    }

    private static SocketTimeoutException late() {
        return new SocketTimeoutException("the response did not start in time");
    }

    @Override
    protected void timedOut() {
        call.cancel();
    }
}
