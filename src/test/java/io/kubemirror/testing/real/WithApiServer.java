package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.ApiServer;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Provides the tests of a class with a real API server, as parameters of type {@link ApiServer},
 * {@link RestClient}, and {@link TestNamespace}.
 *
 * <p>It is started from {@link ServerBinaries}. If the environment names none, the tests are
 * skipped with a message, or fail if the environment has {@code CI=true}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ApiServerExtension.class)
public @interface WithApiServer {

    /** Further flags of kube-apiserver. Classes with the same flags share a server. */
    String[] flags() default {};

    /** Whether the class has a server to itself, because it restarts it or lists all namespaces. */
    boolean own() default false;

    /**
     * Whether to use TLS, and with it HTTP/2, even if the server supports plain HTTP. The
     * kubeconfig then has a token.
     */
    boolean secure() default false;
}
