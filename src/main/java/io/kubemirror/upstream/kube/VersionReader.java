package io.kubemirror.upstream.kube;

import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.VersionOutcome;

import okhttp3.Response;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads the document of {@code /version}. */
final class VersionReader {

    /** The maximum size of a document in bytes, a hundred times the usual size. */
    private static final int LIMIT = 64 * 1024;

    private VersionReader() {}

    /** Reads the document and closes the response. */
    static VersionOutcome read(Response response) {
        try (response) {
            byte[] json = ResponseBody.of(response).readNBytes(LIMIT);
            String version = JsonMapper.shared().readTree(json).path("gitVersion").asString("");
            return version.isEmpty()
                    ? new Failure.Malformed("the document of /version has no gitVersion")
                    : new VersionOutcome.Known(version, new String(json, StandardCharsets.UTF_8));
        } catch (IOException e) {
            return TransportFailure.of(e).failure();
        } catch (JacksonException e) {
            return TransportFailure.of(e, false).failure();
        }
    }
}
