package io.kubemirror.app;

import io.kubemirror.feature.etcd.EtcdClient;
import io.kubemirror.feature.etcd.EtcdProperties;
import io.kubemirror.feature.etcd.EtcdSettings;
import io.kubemirror.feature.etcd.EtcdSettings.PasswordSource;
import io.kubemirror.feature.etcd.EtcdSettings.TlsMaterial;
import io.kubemirror.feature.etcd.StoredCollection;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.source.Source;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

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

/** Reads the configured resources that etcd holds from there. */
@Configuration(proxyBeanMethods = false)
class EtcdConfiguration {

    /** Processes try the members in different orders, so that they do not all choose the first. */
    @Bean
    @Order(0)
    @Nullable Source etcd(
            CurrentProperties current,
            ClientSettings settings,
            SslBundles bundles,
            RandomGenerator random) {
        List<StoredCollection> stored = StoredResources.all(current.get(MirrorProperties.class));
        StoredResources.keep(current);
        EtcdProperties etcd = current.get(MirrorProperties.class).upstream().etcd();
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
