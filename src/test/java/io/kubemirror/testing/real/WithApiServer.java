package io.kubemirror.testing.real;

import io.kubemirror.testing.ApiServer;

import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the tests of a class a genuine API server, as parameters of type {@link ApiServer}, {@link
 * RestClient} and {@link TestNamespace}.
 *
 * <p>It comes from {@link ServerBinaries} if the environment names them, else from a container if a
 * Docker engine answers. Where there is neither, the tests are skipped with a message; with {@code
 * CI=true} in the environment they fail instead, so that nobody believes they ran.
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
     * Whether to speak TLS, and with it HTTP/2, also where the server could do without; its
     * kubeconfig then has a token.
     */
    boolean secure() default false;
}
