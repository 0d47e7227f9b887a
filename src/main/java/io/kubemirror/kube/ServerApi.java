package io.kubemirror.kube;

import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;

/** What a Kubernetes API server says about itself and about this process, its client. */
public interface ServerApi {

    /**
     * The version of the server.
     *
     * @param gitVersion the version, such as {@code v1.36.4+k3s1}; it changes with every upgrade
     * @param json the unmodified document of {@code /version}
     */
    record ServerVersion(String gitVersion, String json) {}

    /** Requests the version of the server. */
    Result<ServerVersion> version();

    /** Determines whether the credentials of this process have a permission. */
    Result<AccessReview> access(Permission permission);
}
