// Sends a request over HTTP/2 whose body comes in parts with pauses, without a length. Prints the code of the response, then
// its body.
//
// Arguments: the file with the certificate of the server, the token, the method, the address, the type of the body, the parts.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func main() {
	certificate, err := os.ReadFile(os.Args[1])
	check(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(certificate)
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	client := &http.Client{Transport: &http.Transport{
		Protocols: protocols, TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	parts := os.Args[6:]
	body, out := io.Pipe()
	request, err := http.NewRequest(os.Args[3], os.Args[4], body)
	check(err)
	if len(parts) == 0 {
		request.Body = nil
	}
	request.Header.Set("Authorization", "Bearer "+os.Args[2])
	request.Header.Set("Content-Type", os.Args[5])
	go func() {
		for _, part := range parts {
			time.Sleep(50 * time.Millisecond)
			_, err := io.WriteString(out, part)
			check(err)
		}
		check(out.Close())
	}()
	response, err := client.Do(request)
	check(err)
	fmt.Println(response.StatusCode)
	_, err = io.Copy(os.Stdout, response.Body)
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
