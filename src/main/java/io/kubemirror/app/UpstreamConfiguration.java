package io.kubemirror.app;

import io.kubemirror.app.MirrorProperties.UpstreamProperties;
import io.kubemirror.feature.access.AccessProperties;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.feature.etcd.EtcdClient;
import io.kubemirror.feature.etcd.EtcdProperties;
import io.kubemirror.feature.etcd.EtcdSettings;
import io.kubemirror.feature.etcd.EtcdSettings.PasswordSource;
import io.kubemirror.feature.etcd.EtcdSettings.TlsMaterial;
import io.kubemirror.feature.etcd.StoredCollection;
import io.kubemirror.feature.forward.PassThroughProperties;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.ProcessEnvironment;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.PassThroughApi;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import javax.net.ssl.X509TrustManager;

/** Connects to the sources of the configured resources. */
@Configuration(proxyBeanMethods = false)
class UpstreamConfiguration {

    private static final Logger log = LoggerFactory.getLogger(UpstreamConfiguration.class);

    @Bean
    UpstreamSources upstreamSources(
            MirrorProperties properties,
            CurrentProperties current,
            ObjectProvider<BuildProperties> build,
            SslBundles bundles,
            RandomGenerator random,
            MemoryBudget mirrorMemory,
            MemoryBudget incomingMemory) {
        String version = OperationsConfiguration.built(build, "version");
        ClientSettings settings =
                new ClientSettings(
                        version,
                        properties.upstream().connectTimeout(),
                        properties.upstream().readTimeout(),
                        properties.upstream().listTimeout(),
                        MemoryConfiguration.objectLimit(
                                properties.upstream().maxObjectBytes(), mirrorMemory.limit()),
                        incomingMemory);
        KubeClient kube = kube(properties, settings);
        UpstreamSources sources =
                new UpstreamSources(kube, etcd(properties, settings, bundles, random));
        if (kube == null) {
            var _ = current.part(UpstreamConfiguration::withoutApiServer);
        }
        StoredResources.keep(current);
        log.info("kubemirror {} mirrors {}", version, sources.upstream());
        return sources;
    }

    /** Passes requests on to the API server, not to an etcd. */
    @Bean
    @Lazy
    PassThroughApi passThroughApi(UpstreamSources sources, PassThroughProperties passThrough) {
        return sources.passThrough(passThrough.mode() == PassThroughProperties.Mode.OWN);
    }

    private static @Nullable KubeClient kube(MirrorProperties properties, ClientSettings settings) {
        boolean passes = properties.passThrough().mode() != PassThroughProperties.Mode.OFF;
        return isRead(properties) || passes || isReviewed(properties.access())
                ? KubeClient.connect(
                        properties.upstream().settings(), ProcessEnvironment.ofProcess(), settings)
                : null;
    }

    private static boolean isRead(MirrorProperties properties) {
        return properties.resources().stream().anyMatch(resource -> resource.etcd() == null);
    }

    /** Refuses a configuration that needs the API server: there is no connection to one. */
    private static boolean withoutApiServer(MirrorProperties next) {
        requireNone(isRead(next), "kubemirror.resources", "a resource needs");
        requireNone(isReviewed(next.access()), "kubemirror.access", "reviews need");
        return true;
    }

    private static void requireNone(boolean needed, String property, String by) {
        if (needed) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    null,
                    "kubemirror has started without an API server, which %s; restart it"
                            .formatted(by));
        }
    }

    /** Returns whether the API server decides about clients. */
    private static boolean isReviewed(AccessProperties access) {
        return access.authentication().contains(AuthenticationMethod.TOKEN_REVIEW)
                || (!access.authentication().isEmpty()
                        && access.authorization() == AuthorizationMode.ACCESS_REVIEW);
    }

    /** Processes try the members in different orders, so that they do not all choose the first. */
    private static @Nullable EtcdClient etcd(
            MirrorProperties properties,
            ClientSettings settings,
            SslBundles bundles,
            RandomGenerator random) {
        List<StoredCollection> stored = StoredResources.all(properties);
        UpstreamProperties upstream = properties.upstream();
        EtcdProperties etcd = upstream.etcd();
        if (etcd == null) {
            return null;
        }
        List<String> endpoints = new ArrayList<>(etcd.endpoints());
        Collections.shuffle(endpoints, Random.from(random));
        return connect(
                etcd,
                new EtcdSettings(
                        endpoints,
                        etcd.user(),
                        password(etcd),
                        tls(bundles, etcd.sslBundle()),
                        stored,
                        new EtcdSettings.ReadLimits(
                                settings.connectTimeout(),
                                settings.readTimeout(),
                                settings.listTimeout(),
                                settings.objectLimit(),
                                settings.incoming()),
                        System::nanoTime,
                        Thread::sleep));
    }

    private static EtcdClient connect(EtcdProperties etcd, EtcdSettings settings) {
        try {
            return EtcdClient.connect(settings);
        } catch (UncheckedIOException _) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.upstream.etcd.ssl-bundle",
                    etcd.sslBundle(),
                    "the bundle cannot be read; correct spring.ssl.bundle.pem." + etcd.sslBundle());
        }
    }

    private static PasswordSource password(EtcdProperties etcd) {
        String file = etcd.passwordFile();
        String password = etcd.password() == null ? "" : etcd.password();
        return file == null ? () -> password : PasswordSource.file(Path.of(file));
    }

    private static @Nullable Supplier<TlsMaterial> tls(
            SslBundles bundles, @Nullable String bundle) {
        return bundle == null ? null : () -> material(bundles, bundle);
    }

    /** A bundle that Boot reloads has new certificates when it is asked for again. */
    private static TlsMaterial material(SslBundles bundles, String name) {
        try {
            SslBundle bundle = bundles.getBundle(name);
            X509TrustManager trust =
                    Arrays.stream(bundle.getManagers().getTrustManagers())
                            .filter(X509TrustManager.class::isInstance)
                            .map(X509TrustManager.class::cast)
                            .findFirst()
                            .orElseThrow();
            return new TlsMaterial(bundle.createSslContext().getSocketFactory(), trust);
        } catch (NoSuchSslBundleException _) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.upstream.etcd.ssl-bundle",
                    name,
                    "there is no bundle of that name; configure spring.ssl.bundle.pem." + name);
        } catch (IllegalStateException | IllegalArgumentException | UncheckedIOException _) {
            // Their messages may contain a key.
            throw new UncheckedIOException(new IOException("cannot read the bundle " + name));
        }
    }
}
