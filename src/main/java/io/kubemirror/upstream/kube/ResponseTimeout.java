package io.kubemirror.upstream.kube;

import okhttp3.Call;
import okhttp3.Response;

import okio.AsyncTimeout;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time within which an answer must begin, however long its body may be silent afterwards.
 *
 * <p>A read timeout cannot tell the two apart: a watch may be quiet for ten minutes, but a server
 * that accepts a connection and never answers is no watch.
 */
final class ResponseTimeout extends AsyncTimeout {

    private final Call call;

    ResponseTimeout(Call call, Duration limit) {
        this.call = call;
        timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Sends the request and waits for the head of its answer; the body may then pause as long.
     *
     * @throws SocketTimeoutException if it does not come in time
     * @throws IOException if the call fails otherwise
     */
    Response execute() throws IOException {
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
        // What a refusal says in its body must not be long in coming either.
        response.body().source().timeout().timeout(timeoutNanos(), TimeUnit.NANOSECONDS);
        return response;
    }

    private static SocketTimeoutException late() {
        return new SocketTimeoutException("the answer did not begin in time");
    }

    @Override
    protected void timedOut() {
        call.cancel();
    }
}
