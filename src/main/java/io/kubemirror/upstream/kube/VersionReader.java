package io.kubemirror.upstream.kube;

import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi.ServerVersion;

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
    static Result<ServerVersion> read(Response response) {
        try (response) {
            byte[] json = ResponseBody.of(response).readNBytes(LIMIT);
            String version = JsonMapper.shared().readTree(json).path("gitVersion").asString("");
            return version.isEmpty()
                    ? Result.failed(
                            new Failure.Malformed("the document of /version has no gitVersion"))
                    : Result.of(
                            new ServerVersion(version, new String(json, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            return Result.failed(TransportFailure.of(e).failure());
        } catch (JacksonException e) {
            return Result.failed(TransportFailure.of(e, false).failure());
        }
    }
}
