package io.kubemirror.api.server;

import module java.base;

import org.springframework.web.HttpRequestHandler;

/**
 * Pages of the management port beside the endpoints of the actuator. A feature contributes them as
 * a bean. They exist only if the management port is not also the port of the API, all of whose
 * paths belong to Kubernetes.
 */
public interface ManagementPages {

    /** Returns the handlers by path. Called once, when the management port opens. */
    Map<String, HttpRequestHandler> handlers();
}
