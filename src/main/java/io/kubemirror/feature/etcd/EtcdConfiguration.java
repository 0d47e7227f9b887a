package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.EtcdProperties;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings.TlsMaterial;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.source.Source;

import org.apache.commons.io.function.IOSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Reads the configured resources that etcd holds from there. */
@Configuration(proxyBeanMethods = false)
class EtcdConfiguration {

    /** Processes try the members in different orders, so that they do not all choose the first. */
    @Bean
    @Order(0)
    @Nullable Source etcd(
            MirrorProperties properties,
            ClientSettings settings,
            SslBundles bundles,
            RandomGenerator random) {
        EtcdProperties etcd = properties.upstream().etcd();
        if (etcd == null) {
            return null;
        }
        List<StoredCollection> stored = stored(properties);
        if (stored.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.upstream.etcd",
                    null,
                    "is not used; set kubemirror.resources[].etcd for a resource, or remove it");
        }
        List<String> endpoints = new ArrayList<>(etcd.endpoints());
        Collections.shuffle(endpoints, Random.from(random));
        return connect(
                etcd.sslBundle(),
                new EtcdSettings(
                        endpoints,
                        etcd.user(),
                        password(etcd),
                        tls(bundles, etcd.sslBundle()),
                        stored,
                        settings,
                        System::nanoTime,
                        Thread::sleep));
    }

    private static List<StoredCollection> stored(MirrorProperties properties) {
        return ConfiguredResource.all(properties).stream()
                .flatMap(
                        resource ->
                                resource.typeInEtcd().stream()
                                        .map(type -> new StoredCollection(type, resource.prefix())))
                .toList();
    }

    private static EtcdClient connect(@Nullable String bundle, EtcdSettings settings) {
        try {
            return EtcdClient.connect(settings);
        } catch (UncheckedIOException _) {
            throw unusable(bundle, "the bundle cannot be read; correct spring.ssl.bundle.pem.");
        }
    }

    private static InvalidConfigurationPropertyValueException unusable(
            @Nullable String bundle, String problem) {
        return new InvalidConfigurationPropertyValueException(
                "kubemirror.upstream.etcd.ssl-bundle", bundle, problem + bundle);
    }

    private static IOSupplier<String> password(EtcdProperties etcd) {
        String file = etcd.passwordFile();
        return file == null ? () -> "" : firstLine(Path.of(file));
    }

    static IOSupplier<String> firstLine(Path file) {
        return () -> Files.readString(file).lines().findFirst().orElse("");
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
            throw unusable(
                    name, "there is no bundle of that name; configure spring.ssl.bundle.pem.");
        } catch (IllegalStateException | IllegalArgumentException | UncheckedIOException _) {
            // Their messages may contain a key.
            throw new UncheckedIOException(new IOException("cannot read the bundle " + name));
        }
    }
}
